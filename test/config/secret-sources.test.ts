import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findRecipe } from '../../src/config/find-recipe.ts';
import { readConfig } from '../../src/config/load-config.ts';
import { readSecretSources, requireSecrets } from '../../src/config/secret-sources.ts';
import { configFolder, RECIPE } from './folder.ts';

async function secretsFile(content: string, mode = 0o600): Promise<string> {
  const path = join(await configFolder(), 'secrets');
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

test('the environment before the file, the longer name before the shorter', async () => {
  const path = await secretsFile('# tokens\n\nA=file a\nexport B="file b"\nC= file=c \r\nD=\n');
  const source = await readSecretSources({
    SPARKOPS_SECRETS_FILE: path,
    SPARKOPS_SECRET_A: 'long a',
    A: 'short a',
    B: '',
  });
  expect(['A', 'B', 'C', 'D', 'E'].map(source)).toEqual(['long a', 'file b', 'file=c', undefined, undefined]);
});

test('without a file', async () => {
  const source = await readSecretSources({ A: 'a' });
  expect([source('A'), source('B')]).toEqual(['a', undefined]);
});

describe('a wrong file', () => {
  test('that is not there', async () => {
    await expect(readSecretSources({ SPARKOPS_SECRETS_FILE: '/nowhere' })).rejects.toMatchObject({
      code: 'config',
      message: "The secrets file /nowhere can't be read.",
    });
  });

  test.each([0o640, 0o604, 0o660])('that others can read (%i)', async (mode) => {
    const path = await secretsFile('A=a\n', mode);
    await expect(readSecretSources({ SPARKOPS_SECRETS_FILE: path })).rejects.toMatchObject({
      hint: `Run chmod 600 ${path}.`,
    });
  });

  test('with a line that is none: the line is not repeated', async () => {
    const path = await secretsFile('A=a\nhf_abcdef\n');
    await expect(readSecretSources({ SPARKOPS_SECRETS_FILE: path })).rejects.toMatchObject({
      message: `Line 2 of the secrets file ${path} is not NAME=value.`,
    });
  });
});

test('a recipe that names secrets which nobody gave', async () => {
  const env = 'env: { A: secret:TOKEN, B: secret:TOKEN, C: secret:OTHER }\n';
  const recipe = findRecipe(await readConfig(await configFolder({ 'recipes/model.yaml': RECIPE + env })), 'model');
  expect(() => requireSecrets(recipe, () => 'x')).not.toThrow();
  expect(() => requireSecrets(recipe, (name) => (name === 'OTHER' ? 'x' : undefined))).toThrow(
    expect.objectContaining({
      code: 'config',
      message: 'The recipe model needs the secret TOKEN, and sparkops was not given it.',
      hint: 'Set SPARKOPS_SECRET_TOKEN where the worker starts, or add it to the file of SPARKOPS_SECRETS_FILE.',
    }),
  );
  expect(() => requireSecrets(recipe, () => undefined)).toThrow('needs the secrets TOKEN, OTHER');
});
