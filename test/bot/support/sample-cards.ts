import { approvalRequest } from '../../../src/bot/cards/approval-request.ts';
import { deploymentCard } from '../../../src/bot/cards/deployment-card.ts';
import { endMessage } from '../../../src/bot/cards/end-message.ts';
import { historyAnswer } from '../../../src/bot/cards/history-answer.ts';
import { heldMessage } from '../../../src/bot/cards/hold-card.ts';
import type { Message } from '../../../src/bot/cards/message.ts';
import { statusAnswer } from '../../../src/bot/cards/status-answer.ts';
import { whichCluster } from '../../../src/bot/cards/which-cluster.ts';
import type { ForeignLaunch } from '../../../src/jobs/jobs.ts';
import { OPERATOR, TEAM } from '../../../src/local/slack/people.ts';
import { aRequest, interrupted, waiting } from './fake-approvals.ts';
import { aRecord, at, failed, phasesUpTo, START } from './records.ts';

const asker = { asker: OPERATOR };

/** Messages that have, all together, every button of src/bot/buttons.ts. */
export function cardsWithButtons(): readonly Message[] {
  return [...ofDeployments(), ...ofRequests(), ...ofHolds(), ...ofLooks()];
}

function ofDeployments(): readonly Message[] {
  const draining = aRecord({
    state: 'running',
    run: 'deploy',
    phase: 'stop-previous',
    phases: phasesUpTo('stop-previous'),
    drainUntil: at(60),
    progress: { stage: 'drain', percent: 0 },
  });
  const replaced = [{ uid: 'before', number: 140, recipe: 'qwen35' }];
  return [
    deploymentCard(aRecord(), asker),
    deploymentCard(draining, asker),
    endMessage(failed({ replaces: replaced }), OPERATOR),
  ];
}

function ofRequests(): readonly Message[] {
  const open = aRequest({}, { interrupts: [interrupted()] });
  const late = aRequest({ decision: { kind: 'expired', at: at(1_830) } });
  return [
    approvalRequest(waiting(), open, { deciders: ['<@U0APPROVER1>'] }),
    deploymentCard(waiting({ state: 'expired', endedAt: at(1_830) }, late), asker),
  ];
}

function ofHolds(): readonly Message[] {
  const by = { team: TEAM.id, user: OPERATOR };
  const hold = { by, name: 'operator', reason: 'eval run', at: START, until: at(3_600) };
  return [heldMessage({ cluster: 'spark', hold }), heldMessage({ hold })];
}

function ofLooks(): readonly Message[] {
  const overview = { cluster: 'spark', description: '', channels: [], serving: [], nodeNames: ['spark1'] };
  const launch: ForeignLaunch = {
    node: 'spark1',
    kind: 'container',
    name: 'vllm_node',
    id: 'ab'.repeat(32),
    user: 'root',
    ports: [8000],
    since: START,
  };
  const node = { node: 'spark1', role: 'head' as const, address: '10.1.230.180', containers: [], foreign: [launch] };
  const status = { ...overview, nodes: [node], engines: [], lookedAt: START };
  return [
    statusAnswer([status], new Date(START)),
    whichCluster(
      { text: 'Which cluster?', hint: '', lines: [] },
      { not: undefined, clusters: [overview], typed: (cluster) => `status ${cluster}` },
    ),
    historyAnswer({
      records: [aRecord(), aRecord({ number: 141 })],
      decisions: [],
      lines: 1,
      page: 1,
      older: 'history page 2',
    }),
  ];
}
