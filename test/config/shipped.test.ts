import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { applyOverrides } from '../../src/config/apply-overrides.ts';
import { fillCommand } from '../../src/config/fill-command.ts';
import { findRecipe } from '../../src/config/find-recipe.ts';
import { loadConfig, readConfig } from '../../src/config/load-config.ts';
import { resolveCluster } from '../../src/config/resolve-cluster.ts';
import { SparkopsFile } from '../../src/config/sparkops-file.ts';

const FOLDER = fileURLToPath(new URL('../../config', import.meta.url));

test('the configuration that we ship has no problems', async () => {
  expect((await loadConfig(FOLDER)).problems).toEqual([]);
});

test('its limits are the defaults, as it says', async () => {
  const { sparkops } = await readConfig(FOLDER);
  expect(sparkops.timeouts).toEqual(SparkopsFile.parse({ name: 'x' }).timeouts);
  const written = parse(await readFile(`${FOLDER}/sparkops.yaml`, 'utf8'));
  expect(Object.keys(written.timeouts)).toEqual(Object.keys(sparkops.timeouts));
});

test('its recipe fits its cluster', async () => {
  const config = await readConfig(FOLDER);
  const cluster = resolveCluster(config, {});
  const recipe = findRecipe(config, 'qwen35');
  expect(recipe).toMatchObject({ runtime: 'vllm-ray', minNodes: 2, model: 'Qwen/Qwen3.5-122B-A10B-FP8' });
  expect(cluster.nodes).toHaveLength(2);
  const { values } = applyOverrides(recipe, cluster, { max_model_len: '64K' });
  const command = fillCommand(recipe, values);
  expect(command.slice(0, 3)).toEqual(['vllm', 'serve', 'Qwen/Qwen3.5-122B-A10B-FP8']);
  expect(command.join(' ')).toContain('--distributed-executor-backend ray');
  expect(command.join(' ')).toContain('--max-model-len 65536');
  expect(command.join(' ')).not.toMatch(/[{}]/);
});

test('the Slack app has the command, socket mode, and no more scopes than are used', async () => {
  const manifest = parse(await readFile(`${FOLDER}/slack-manifest.yaml`, 'utf8'));
  expect(manifest.features.slash_commands.map(({ command }: { command: string }) => command)).toEqual(['/spark']);
  expect(manifest.oauth_config.scopes).toEqual({
    bot: ['commands', 'chat:write', 'files:write', 'users:read', 'channels:history', 'groups:history'],
  });
  expect(manifest.settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
  expect(manifest.features.bot_user.display_name).toBe('sparkops');
});
