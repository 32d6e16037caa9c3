import { readFile, stat } from 'node:fs/promises';
import { OperatorError } from '../errors.ts';
import type { Recipe } from './recipe-file.ts';

/** The value of a secret, or undefined. The caller wraps it at once, so that it can't be printed. */
export type SecretSource = (name: string) => string | undefined;

type Env = Readonly<Partial<Record<string, string>>>;

/**
 * Where secrets come from, in this order: SPARKOPS_SECRET_NAME, NAME, and the file that SPARKOPS_SECRETS_FILE names
 * (lines NAME=value, readable by its owner alone). An empty value is none.
 */
export async function readSecretSources(env: Env): Promise<SecretSource> {
  const path = env['SPARKOPS_SECRETS_FILE'];
  const inFile = path === undefined || path === '' ? new Map<string, string>() : await readSecretsFile(path);
  return (name) => env[`SPARKOPS_SECRET_${name}`] || env[name] || inFile.get(name) || undefined;
}

/** Refuses a recipe that names secrets which nobody gave. */
export function requireSecrets(recipe: Recipe, source: SecretSource): void {
  const missing = [...new Set(Object.values(recipe.secrets))].filter((name) => source(name) === undefined);
  if (missing.length === 0) return;
  const [what, them] = missing.length === 1 ? ['the secret', 'it'] : ['the secrets', 'them'];
  throw new OperatorError(
    'config',
    `The recipe ${recipe.name} needs ${what} ${missing.join(', ')}, and sparkops was not given ${them}.`,
    {
      hint: `Set ${missing.map((name) => `SPARKOPS_SECRET_${name}`).join(', ')} where the worker starts, or add ${them} to the file of SPARKOPS_SECRETS_FILE.`,
    },
  );
}

async function readSecretsFile(path: string): Promise<Map<string, string>> {
  const mode = await stat(path).then(
    (found) => found.mode,
    (error: unknown) => {
      throw refused(`The secrets file ${path} can't be read.`, 'Check SPARKOPS_SECRETS_FILE.', error);
    },
  );
  if ((mode & 0o077) !== 0) throw refused(`The secrets file ${path} can be read by others.`, `Run chmod 600 ${path}.`);
  const secrets = new Map<string, string>();
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    // The line itself stays out of the message: it may hold the secret.
    if (name === undefined || value === undefined) {
      throw refused(`Line ${index + 1} of the secrets file ${path} is not NAME=value.`, 'Mend the line.');
    }
    secrets.set(name, withoutQuotes(value.trim()));
  }
  return secrets;
}

function withoutQuotes(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}

function refused(message: string, hint: string, cause?: unknown): OperatorError {
  return new OperatorError('config', message, { hint, ...(cause !== undefined && { cause }) });
}
