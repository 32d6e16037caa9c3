import type { ActionsBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { statusAnswer } from '../../../src/bot/cards/status-answer.ts';
import type { Message } from '../../../src/bot/cards/message.ts';
import type { ClusterStatus, ForeignLaunch } from '../../../src/jobs/jobs.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { at, serving, START } from '../support/records.ts';

const now = new Date(at(960));

function launch(change: Partial<ForeignLaunch> = {}): ForeignLaunch {
  return {
    node: 'spark1',
    kind: 'container',
    name: 'vllm_node',
    id: 'ab'.repeat(32),
    image: 'vllm-node:latest',
    user: 'root',
    ports: [8000],
    restart: 'unless-stopped',
    since: '2026-12-01T02:10:00Z',
    gpuMemory: 33_856,
    ...change,
  };
}

function spark(foreign: readonly ForeignLaunch[], change: Partial<ClusterStatus> = {}): ClusterStatus {
  const node = (name: string, role: 'head' | 'worker') => ({
    node: name,
    role,
    address: '10.1.230.180',
    gpu: 'GB10, 45 W',
    containers: [],
    foreign: foreign.filter((each) => each.node === name),
  });
  return {
    cluster: 'spark',
    description: '',
    channels: [],
    serving: [],
    nodes: [node('spark1', 'head'), node('spark2', 'worker')],
    engines: [],
    lookedAt: START,
    ...change,
  };
}

function buttons({ blocks }: Message): { action: string | undefined; text: string; value: string | undefined }[] {
  const found = blocks.find((block): block is ActionsBlock => block.type === 'actions');
  return (found?.elements ?? []).flatMap((element) =>
    element.type === 'button' ? [{ action: element.action_id, text: element.text.text, value: element.value }] : [],
  );
}

describe('a status with foreign launches', () => {
  it('names one that runs on both nodes once, with everything that is known', () => {
    const answer = statusAnswer([spark([launch(), launch({ node: 'spark2', id: 'cd'.repeat(32), ports: [] })])], now);
    expect(answer.text.split('\n').slice(0, 5)).toEqual([
      'spark FOREIGN: vllm_node was not started by me, 71 GB on 2 nodes. I leave it alone.',
      expect.stringMatching(
        /^Container vllm_node on spark1 and spark2 since <!date\^\d+\^\{time\}\|02:10 UTC>, user root inside, image vllm-node:latest, port 8000\.$/,
      ),
      'It comes back after a reboot (unless-stopped).',
      'Deploys on spark are refused while it runs.',
      'spark1 (head, 10.1.230.180): GB10, 45 W; no container of mine',
    ]);
    expect(buttons(answer)).toEqual([
      { action: 'mine-0', text: "It's mine", value: 'mine vllm_node on spark' },
      { action: 'stop-foreign-0', text: 'Ask to stop it', value: 'stop-foreign vllm_node on spark' },
      { action: 'say', text: 'Share here', value: 'status share' },
    ]);
    expectFits(answer);
  });

  it('says whose it is, and asks nobody else', () => {
    const mine = launch({ owner: { team: 'T1', user: 'U0VIEWER' } });
    const answer = statusAnswer([spark([mine])], now);
    expect(answer.text).toContain('<@U0VIEWER> says that it is theirs.');
    expect(buttons(answer).map(({ action }) => action)).toEqual(['stop-foreign-0', 'say']);

    const shared = statusAnswer([spark([mine])], now, { sharedBy: 'U0OPERATOR' });
    expect(shared.text).toContain('Somebody says that it is theirs.');
    expect(shared.text).not.toContain('U0VIEWER');
    expect(buttons(shared)).toEqual([]);
  });

  it('tells processes by pid, orphans, likely ports and other sparkops', () => {
    const others = [
      launch({ kind: 'process', name: 'python3', id: '4242', user: 'maya', ports: [], restart: '', gpuMemory: 300 }),
      launch({ kind: 'process', name: 'VLLM', id: '4243', ports: [], restart: '', orphanOf: 'ab'.repeat(32) }),
      launch({ name: 'sparkops-u9-spark1', realm: 'research', restart: 'no', portsLikely: true }),
    ];
    const { text } = statusAnswer([spark(others)], now);
    expect(text).toContain(
      'spark FOREIGN: python3, VLLM, sparkops-u9-spark1 were not started by me, 71 GB on spark1. I leave them alone.',
    );
    expect(text).toMatch(/Process python3 \(pid 4242\) on spark1 since .*, user maya/);
    expect(text).toContain('left behind by a container that has ended');
    expect(text).toContain('probably port 8000, of another sparkops, research.');
    expect(text).not.toContain('comes back');
    expect(text).toContain('Deploys on spark are refused while they run.');
    const [first] = buttons(statusAnswer([spark(others)], now));
    expect(first).toEqual({ action: 'mine-0', text: "It's mine: python3", value: 'mine 4242 on spark' });
  });

  it('stays beside what serves, and tells a node that can not say', () => {
    const up = spark([launch()], {
      serving: [serving({})],
      engines: [{ uid: 'abcdefghij', health: 'ok', text: 'idle' }],
    });
    expect(statusAnswer([up], now).text).toMatch(/^spark OK: qwen35 \(#\d+\), idle.*; vllm_node was not started by me/);
    const [head] = spark([]).nodes;
    const unsure = spark([], { nodes: head ? [{ ...head, foreignProblem: 'no answer' }] : [] });
    expect(statusAnswer([unsure], now).text).toContain("no container; what others run can't be told: no answer");
  });

  it('has one calm line for what is tolerated, and no button', () => {
    const exporter = { ...launch({ name: 'dcgm-exporter', ports: [9400] }), tolerated: true };
    const all = [exporter, { ...exporter, node: 'spark2' }, { ...exporter, name: 'node-monitor' }];
    const answer = statusAnswer([spark(all)], now);
    expect(answer.text.split('\n')).toEqual([
      'spark FREE: nothing serves',
      'spark1 (head, 10.1.230.180): GB10, 45 W; no container of mine',
      'spark2 (worker, 10.1.230.180): GB10, 45 W; no container of mine',
      'Tolerated: dcgm-exporter on spark1 and spark2, node-monitor on spark1.',
      expect.stringMatching(/^Looked at /),
    ]);
    expect(buttons(answer).map(({ action }) => action)).toEqual(['say']);

    const beside = statusAnswer([spark([exporter, launch()])], now);
    expect(beside.text).toContain('spark FOREIGN: vllm_node was not started by me, 36 GB on spark1. I leave it alone.');
    expect(buttons(beside).map(({ value }) => value)).toContain('stop-foreign vllm_node on spark');
  });

  it.each([false, true])('lets no name break out of its line: %s', (tolerated) => {
    const hostile = { ...launch({ name: '<!channel>*x*', image: '```<@U1>', user: 'a\nb' }), tolerated };
    const answer = statusAnswer([spark([hostile])], now);
    expect(answer.text).toContain('channel');
    expect(liveMarkup(answer)).toEqual([]);
    expectFits(answer);
  });
});
