import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseDocument } from 'yaml';

/** Something that must be found nowhere but where it is used. */
export interface Secret {
  name: string;
  value: string;
}

/** A text that people or other programs can come by. */
export interface Source {
  where: string;
  text: string;
}

/**
 * What each worker of a place is given, and its recipes name. One looks like a token, so masks work on it; the other like
 * nothing, so that no mask hides where it went.
 */
export const WORKER_SECRETS = {
  HF_TOKEN: 'hf_PlantedPlantedPlantedPlanted0001',
  VLLM_API_KEY: 'planted-key-that-no-mask-knows-0002',
} as const;

/** Around a finding. */
const CONTEXT = 60;

/** `env` of a recipe that names them. */
export const SECRET_ENV: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(WORKER_SECRETS).map((name) => [name, `secret:${name}`]),
);

/** Every recipe of the folder names the worker's secrets from now on. */
export async function plantInRecipes(configFolder: string): Promise<void> {
  const folder = join(configFolder, 'recipes');
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.yaml')) continue;
    const recipe = parseDocument(await readFile(join(folder, file), 'utf8'));
    for (const [name, value] of Object.entries(SECRET_ENV)) recipe.setIn(['env', name], value);
    await writeFile(join(folder, file), String(recipe));
  }
}

/** All secrets of a place: the worker's, Slack's, and a line of each SSH key that its clusters name. */
export async function secretsOf(
  slack: { botToken: string; appToken: string; signingSecret: string },
  configFolder: string,
): Promise<readonly Secret[]> {
  return [
    ...Object.entries(WORKER_SECRETS).map(([name, value]) => ({ name, value })),
    { name: 'the bot token', value: slack.botToken },
    { name: 'the app token', value: slack.appToken },
    { name: 'the signing secret', value: slack.signingSecret },
    ...(await sshKeys(configFolder)),
  ];
}

/** Each place where a secret stands, with what is around it; no secret's value is among it. */
export function findSecrets(secrets: readonly Secret[], sources: readonly Source[]): string[] {
  return sources.flatMap(({ where, text }) => {
    const found = secrets.filter(({ value }) => text.includes(value));
    if (found.length === 0) return [];
    // Before it is cut: half a secret would be told too.
    const whole = masked(text, secrets).replace(/\s+/g, ' ');
    return found.map(({ name }) => `${name} in ${masked(where, secrets)}: ${around(whole, `[${name}]`)}`);
  });
}

function masked(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((rest, { name, value }) => rest.replaceAll(value, `[${name}]`), text);
}

function around(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - CONTEXT), at + part.length + CONTEXT);
}

async function sshKeys(configFolder: string): Promise<Secret[]> {
  const folder = join(configFolder, 'clusters');
  const found: Secret[] = [];
  for (const file of await readdir(folder)) {
    const { ssh }: { ssh?: { key?: string } } = parse(await readFile(join(folder, file), 'utf8'));
    const text = ssh?.key === undefined ? '' : await readFile(ssh.key, 'utf8').catch(() => '');
    // A whole line of the private part, which stands at the end.
    const line = text.trim().split('\n').at(-3)?.trim() ?? '';
    if (line.length >= 64) found.push({ name: `the SSH key of ${file}`, value: line });
  }
  return found;
}
