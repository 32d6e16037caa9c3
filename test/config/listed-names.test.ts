import { expect, test } from 'vitest';
import { listedNames } from '../../src/config/listed-names.ts';
import { SparkopsFile } from '../../src/config/sparkops-file.ts';

test('people and user groups of rights and of every policy, once each; no rights, not everyone', () => {
  const file = SparkopsFile.parse({
    name: 'a',
    rights: { operator: ['U1', 'T1/U2'], admin: ['U1'] },
    approvals: {
      from: ['approver', 'S1'],
      actions: { stop: { from: ['S2', 'S1'] }, deploy: { required: 2 } },
      clusters: { spark: { from: ['U3'], actions: { cancel: { from: ['U4'] } } } },
    },
  });
  expect([...listedNames(file)].toSorted()).toEqual(['S1', 'S2', 'T1/U2', 'U1', 'U3', 'U4']);
});
