import { deploymentCard } from '../../../src/bot/cards/deployment-card.ts';
import { endMessage } from '../../../src/bot/cards/end-message.ts';
import type { Message } from '../../../src/bot/cards/message.ts';
import { statusAnswer } from '../../../src/bot/cards/status-answer.ts';
import { whichCluster } from '../../../src/bot/cards/which-cluster.ts';
import { OPERATOR } from '../../../src/local/slack/people.ts';
import { aRecord, failed, START } from './records.ts';

/** Messages that have, all together, every button of src/bot/buttons.ts. */
export function cardsWithButtons(): readonly Message[] {
  const asker = { asker: OPERATOR };
  const overview = { cluster: 'spark', description: '', channels: [], serving: [], nodeNames: ['spark1'] };
  const status = { ...overview, nodes: [], engines: [], lookedAt: START };
  const explanation = { text: 'Which cluster?', hint: '', lines: [] };
  return [
    deploymentCard(aRecord(), asker),
    endMessage(failed(), OPERATOR),
    statusAnswer([status], new Date(START)),
    whichCluster(explanation, { not: undefined, clusters: [overview], typed: (cluster) => `status ${cluster}` }),
  ];
}
