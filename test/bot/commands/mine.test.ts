import { expect, it } from 'vitest';
import { mineCommand } from '../../../src/bot/commands/mine.ts';
import { stopForeignCommand } from '../../../src/bot/commands/stop-foreign.ts';
import type { Caller } from '../../../src/bot/command.ts';
import { parse } from '../../../src/bot/parse.ts';
import { toWords } from '../../../src/bot/words.ts';
import type { Jobs } from '../../../src/jobs/jobs.ts';
import { aRecord } from '../support/records.ts';

const asker = { team: 'T1', user: 'U0OPERATOR', name: 'Operator' };
const caller: Caller = {
  asker,
  channel: 'C1',
  right: 'operator',
  isAmong: async () => false,
  typed: '',
  canOpen: false,
  zone: async () => 'UTC',
};

const launch = { node: 'spark1', kind: 'container', name: 'vllm_node', id: 'ab', ports: [] } as const;

it('notes whose it is, and tells the channel, with who had said so before', async () => {
  const asked: Parameters<Jobs['mine']>[0][] = [];
  const command = mineCommand({
    clusters: async () => ['spark'],
    mine: async (request) => {
      asked.push(request);
      return {
        cluster: 'spark',
        claimed: [launch, { ...launch, node: 'spark2' }],
        before: { team: 'T1', user: 'U0VIEWER' },
      };
    },
  });
  const { message, share } = await command.run(parse(command, toWords('vllm_node on Spark')), caller);
  expect(asked).toMatchObject([{ cluster: 'spark', channel: 'C1', name: 'vllm_node', by: asker }]);
  expect(message.text).toBe(
    "vllm_node on spark1 and spark2 is <@U0OPERATOR>'s, they say. <@U0VIEWER> had said so before.\n" +
      'It is left alone, and still keeps deploys from spark.',
  );
  expect(share).toBe(true);
  expect(command.right).toBe('operator');
});

it('asks to stop exactly what was named', async () => {
  const asked: Parameters<Jobs['stopForeign']>[0][] = [];
  const command = stopForeignCommand(
    {
      clusters: async () => ['spark'],
      view: () => ({ load: async () => undefined, save: async () => undefined }),
      stopForeign: async (request) => {
        asked.push(request);
        return aRecord({ number: 12, recipe: 'vllm_node', run: 'stop-foreign' });
      },
    },
    { canPost: async () => undefined },
  );
  const { message } = await command.run(parse(command, toWords('vllm_node')), caller);
  expect(asked).toMatchObject([{ channel: 'C1', names: ['vllm_node'], by: asker }]);
  expect(message.text).toBe('Asking to stop vllm_node on spark, #12. The card is in the channel.');
});
