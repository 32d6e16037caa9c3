import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { applyOverrides } from '../../src/config/apply-overrides.ts';
import { policyFor } from '../../src/config/approvals.ts';
import { fillCommand } from '../../src/config/fill-command.ts';
import { findRecipe } from '../../src/config/find-recipe.ts';
import { loadConfig, readConfig } from '../../src/config/load-config.ts';
import { resolveCluster } from '../../src/config/resolve-cluster.ts';
import { SparkopsFile } from '../../src/config/sparkops-file.ts';
import { configFolder } from './folder.ts';

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

test('so are its rights and approvals, and the examples beside them can be used as they are', async () => {
  const { sparkops } = await readConfig(FOLDER);
  const { rights, approvals, ...rest } = SparkopsFile.parse({ name: 'x' });
  expect(sparkops).toMatchObject({
    rights,
    channel_caps: {},
    audit_keep: rest.audit_keep,
    hold_until: rest.hold_until,
  });
  const where = { action: 'stop', cluster: 'spark' } as const;
  expect(policyFor(sparkops, where)).toEqual(policyFor({ approvals }, where));

  const text = await readFile(`${FOLDER}/sparkops.yaml`, 'utf8');
  const example = text
    .replaceAll(/: (?:\[\]|\{\}) # ([[{].*)$/gm, ': $1')
    .replace('# break_glass:', 'break_glass:')
    .replace(/ # who may decide alone.*/, '');
  const folder = await configFolder({ 'sparkops.yaml': example });
  const { problems, config } = await loadConfig(folder);
  expect(problems).toEqual([]);
  expect(config?.sparkops.rights.operator).toEqual(['U0123ABCD', 'S0123ABCD']);
  expect(config?.sparkops.channel_caps).toEqual({ C0PUBLIC001: 'viewer' });
  expect(config && policyFor(config.sparkops, { action: 'restart', cluster: 'spark' })).toMatchObject({
    required: 2,
    protected: true,
    from: ['S0456EFGH'],
    break_glass: { after: 600_000, rights: 'operator' },
  });
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
    bot: [
      'commands',
      'chat:write',
      'files:write',
      'users:read',
      'usergroups:read',
      'channels:history',
      'groups:history',
    ],
  });
  expect(manifest.settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
  expect(manifest.features.bot_user.display_name).toBe('sparkops');
});
