import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LocalSlack } from '../../src/local/slack/local-slack.ts';
import type { PretendSparks } from '../../src/local/sparks/pretend-sparks.ts';
import type { RanCommand } from '../../src/local/sparks/run-command.ts';
import { type Source, WORKER_SECRETS } from './planted-secrets.ts';

const SETTLE_MS = 5_000;
/** Tools of the machine, not of the product. */
const TOOLS = new Set(['bin', 'container-bin']);

/** All that the app has sent to Slack: posts, edits, answers, forms, metadata, files. Its tokens go with each call, and only there. */
export function slackSources({
  apiCalls,
  deliveries,
  fileText,
}: Pick<LocalSlack, 'apiCalls' | 'deliveries' | 'fileText'>): Source[] {
  return [
    ...apiCalls.map(({ method, args, result }) => ({
      where: `Slack, ${method}`,
      text: JSON.stringify({ args, result }),
    })),
    ...deliveries.map(({ kind, ack }) => ({
      where: `Slack, the acknowledgement of ${kind}`,
      text: JSON.stringify(ack ?? ''),
    })),
    ...apiCalls
      .filter(({ method }) => method === 'files.getUploadURLExternal')
      .map(({ result }) => ({ where: 'Slack, an uploaded file', text: fileText(String(result['file_id'])) })),
  ];
}

/**
 * What the machines were told to run, with its input, and every file that is left on them. A secret may stand in two places
 * alone, and must stand there: in the input of the program that starts a container, and in a container's own environment.
 */
export async function nodeSources(sparks: Pick<PretendSparks, 'commands' | 'clusterFile'>): Promise<Source[]> {
  const files = await Promise.all(
    sparks.clusterFile().nodes.map(async ({ name, paths }) => {
      const machine = dirname(dirname(paths?.state ?? ''));
      await untilStarted(join(machine, 'home', '.sparkops', 'runs'));
      return filesBelow(machine, name);
    }),
  );
  return [...sparks.commands.flatMap(commandSources), ...files.flat()];
}

function commandSources({ node, text, input = '', exitCode }: RanCommand): Source[] {
  const where = `a command on ${node}`;
  const starts = text.includes('/start-container.sh ');
  const needed = Object.entries(WORKER_SECRETS).map(([name, value]) => `${name}=${value}`);
  const lines = input.split('\n');
  const missing = needed.filter((line) => !lines.includes(line));
  if (starts && exitCode === 0 && missing.length > 0) {
    throw new Error(
      `A container was started on ${node} without ${missing.length} of its secrets: nothing could be found`,
    );
  }
  const rest = starts ? lines.filter((line) => !needed.includes(line)).join('\n') : input;
  return [
    { where, text },
    { where: `${where}, its input`, text: rest },
  ];
}

async function filesBelow(machine: string, node: string): Promise<Source[]> {
  const found = await readdir(machine, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sources = await Promise.all(
    paths.map(async (path): Promise<Source[]> => {
      const name = relative(machine, path);
      if (TOOLS.has(name.split('/')[0] ?? '')) return [];
      // Processes may still come and go.
      const text = await readFile(path, 'latin1').catch(() => '');
      const config = name.startsWith('docker/containers/') && name.endsWith('/config.json');
      return [{ where: `${name} on ${node}`, text: config ? withoutEnvironment(text, node) : text }];
    }),
  );
  return sources.flat();
}

/** As `docker inspect` shows it to whoever may use docker. */
function withoutEnvironment(config: string, node: string): string {
  const { env, ...rest }: { env?: Record<string, string>; name?: string; labels?: Record<string, string> } =
    config === '' ? {} : JSON.parse(config);
  const lacks = Object.entries(WORKER_SECRETS).find(([name, value]) => env?.[name] !== value);
  if (rest.labels?.['sparkops.deployment'] !== undefined && lacks) {
    throw new Error(`Container ${rest.name} on ${node} has no ${lacks[0]}: nothing could be found`);
  }
  const others = Object.entries(env ?? {}).filter(([name]) => !Object.hasOwn(WORKER_SECRETS, name));
  return JSON.stringify({ ...rest, env: Object.fromEntries(others) });
}

/** The file with the variables lives for the time of `docker run`: one that is under way may end. */
async function untilStarted(runs: string): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  const names = await readdir(runs).catch(() => []);
  for (const name of names) {
    const file = join(runs, name, 'env');
    while (performance.now() < end && (await stat(file).catch(() => undefined))) await delay(25);
  }
}
