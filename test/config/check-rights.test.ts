import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { problemLine } from '../../src/config/problem-line.ts';
import { configFolder } from './folder.ts';

async function problems(text: string, others: Parameters<typeof configFolder>[0] = {}): Promise<string[]> {
  const loaded = await loadConfig(await configFolder({ 'sparkops.yaml': text, ...others }));
  return loaded.problems.map(problemLine);
}

test('what is left out', async () => {
  const { config } = await loadConfig(await configFolder());
  expect(config?.sparkops).toMatchObject({
    rights: { viewer: ['everyone'], operator: [], approver: [], admin: [] },
    channel_caps: {},
    audit_keep: 180 * 86_400_000,
    hold_until: '18:00',
  });
});

test.each([
  [
    'name: a\noperators: [U0123ABCD, U0456EFGH]\n',
    [
      'sparkops.yaml:2: There is no key "operators" any more. Write rights: { viewer: [everyone], operator: [U0123ABCD, U0456EFGH] }, and name an approver and an admin too.',
    ],
  ],
  [
    'name: a\nrights:\n  viewer: [everyone]\n  operator:\n    - U0123ABCD\n    - everyone\n',
    ['sparkops.yaml:6: rights.operator has everyone. Name people or user groups: everyone may only be a viewer.'],
  ],
  [
    'name: a\nrights:\n  admin: [ops]\n',
    [
      'sparkops.yaml:3: rights.admin[0] is "ops". It must be a user id such as U0123ABCD, T0123ABCD/U0456EFGH for another workspace, or a user group such as S0123ABCD.',
    ],
  ],
  [
    'name: a\nrights:\n  aprover: [U0123ABCD]\n',
    ['sparkops.yaml:3: There is no key "aprover" in rights. Did you mean approver?'],
  ],
  [
    'name: a\nchannel_caps: { C0PUBLIC001: veiwer }\n',
    [
      'sparkops.yaml:2: channel_caps.C0PUBLIC001 is "veiwer". Did you mean viewer? It must be viewer, operator, approver or admin.',
    ],
  ],
  [
    'name: a\nchannel_caps: { "#general": viewer }\n',
    ['sparkops.yaml:2: channel_caps has "#general". Name a channel by its id, such as C0PUBLIC001.'],
  ],
  [
    'name: a\nhold_until: 25:00\n',
    ['sparkops.yaml:2: hold_until is "25:00". It must be a time of the day such as "18:00".'],
  ],
  ['name: a\naudit_keep: 12h\n', ['sparkops.yaml:2: audit_keep is less than a day. It must be at least 1d.']],
])('%j', async (text, expected) => {
  expect(await problems(text)).toEqual(expected);
});

test.each([
  [
    '  from: [approvers]',
    [
      'sparkops.yaml:3: approvals.from[0] is "approvers". It must be operator, approver or admin, a user id such as U0123ABCD, or a user group such as S0123ABCD.',
    ],
  ],
  [
    '  from: [viewer]',
    [
      'sparkops.yaml:3: approvals.from[0] is "viewer". It must be operator, approver or admin, a user id such as U0123ABCD, or a user group such as S0123ABCD.',
    ],
  ],
  ['  from: []', ['sparkops.yaml:3: approvals.from is empty. It must be a list of at least 1.']],
  ['  required: 0', ['sparkops.yaml:3: approvals.required is 0. It must be at least 1.']],
  [
    '  on_expiry: drp',
    ['sparkops.yaml:3: approvals.on_expiry is "drp". Did you mean drop? It must be drop or proceed.'],
  ],
  ['  expires: 0s', ['sparkops.yaml:3: approvals.expires is 0. It must be more than 0.']],
  ['  idle_limit: 8d', ['sparkops.yaml:3: approvals.idle_limit is more than a week. It must be at most 7d.']],
  [
    '  break_glass: { after: soon }',
    ['sparkops.yaml:3: approvals.break_glass is a map. It must be { after: 10m, rights: operator }, or false.'],
  ],
  [
    '  break_glass: { after: 30m, rights: operator }',
    [
      'sparkops.yaml:3: approvals.break_glass.after is not before the request expires (30 min). It must be shorter than expires: later nothing waits any more.',
    ],
  ],
  [
    '  break_glass: { after: 10m, rights: operator }\n  clusters:\n    spark:\n      actions:\n        stop: { expires: 5m, break_glass: { after: 6m, rights: admin } }',
    [
      'sparkops.yaml:7: approvals.clusters.spark.actions.stop.break_glass.after is not before the request expires (5 min). It must be shorter than expires: later nothing waits any more.',
    ],
  ],
  [
    '  actions: { stpo: { required: 2 } }',
    ['sparkops.yaml:3: There is no key "stpo" in approvals.actions. Did you mean stop?'],
  ],
  [
    '  clusters: { spark: { protect: true } }',
    ['sparkops.yaml:3: There is no key "protect" in approvals.clusters.spark. Did you mean protected?'],
  ],
  [
    '  clusters:\n    sparc: { protected: true }',
    ['sparkops.yaml:4: There is no cluster "sparc". Did you mean spark?'],
  ],
  [
    '  clusters: { elsewhere: { required: 2 } }',
    ['sparkops.yaml:3: There is no cluster "elsewhere". Name a file of clusters/, without .yaml.'],
  ],
])('approvals: %j', async (text, expected) => {
  expect(await problems(`name: a\napprovals:\n${text}\n`)).toEqual(expected);
});

test('a cluster whose file is broken is not told of a second time', async () => {
  const found = await problems('name: a\napprovals:\n  clusters: { spark: { required: 2 } }\n', {
    'clusters/spark.yaml': 'nodes: [\n',
  });
  expect(found.filter((line) => line.startsWith('sparkops.yaml'))).toEqual([]);
  expect(found.length).toBeGreaterThan(0);
});
