import { describe, expect, test } from 'vitest';
import { deployForm } from '../../../src/bot/cards/deploy-form.ts';
import { diagnoseAnswer } from '../../../src/bot/cards/diagnose-answer.ts';
import { historyAnswer } from '../../../src/bot/cards/history-answer.ts';
import { clustersAnswer, recipesAnswer } from '../../../src/bot/cards/lists.ts';
import { checkAnswer } from '../../../src/bot/cards/look-answers.ts';
import { planAnswer } from '../../../src/bot/cards/plan-answer.ts';
import { plainText } from '../../../src/bot/cards/plain-text.ts';
import { whichCluster } from '../../../src/bot/cards/which-cluster.ts';
import type { ClusterOverview } from '../../../src/jobs/jobs.ts';
import { validateView } from '../../../src/local/slack/validate/validate-view.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { aPlan, failed, serving, START } from '../support/records.ts';

const HOSTILE = '<!channel> ``` <@U0VICTIM001> & ' + 'wordy '.repeat(40);

function many(count: number): ClusterOverview[] {
  return Array.from({ length: count }, (_, at) => ({
    cluster: `spark-${at}`,
    description: HOSTILE,
    channels: ['C0OPS000001'],
    serving: at % 2 === 0 ? [serving({ recipe: HOSTILE, number: at })] : [],
    nodeNames: ['spark1', 'spark2'],
  }));
}

describe('long and hostile answers fit, and mention nobody but who asked', () => {
  test('history of 200', () => {
    const records = Array.from({ length: 200 }, (_, at) => failed({ number: at, note: HOSTILE, recipe: HOSTILE }));
    const decisions = Array.from({ length: 200 }, () => ({
      who: { team: 'T1', user: 'U0APPROVER1', name: HOSTILE },
      what: HOSTILE,
      why: HOSTILE,
      cluster: HOSTILE,
      decision: 'refused' as const,
      at: START,
    }));
    const message = historyAnswer({ records, decisions, lines: 200, page: 1, older: `history ${HOSTILE} page 2` });
    expectFits(message);
    expect(liveMarkup(message).toSorted()).toEqual(['<@U0OPERATOR1>']);
    expect(message.text).toMatch(/And \d+ more: ask for fewer lines\.$/);
    const second = historyAnswer({ records, decisions, lines: 10, page: 22, older: `history ${HOSTILE} page 23` });
    expectFits(second);
    expect(liveMarkup(second)).toEqual(['<@U0APPROVER1>']);
    expect(second.text).toContain('Older: `/spark history');
  });

  test('100 recipes, 40 clusters', () => {
    const recipes = Array.from({ length: 100 }, (_, at) => ({ name: `recipe-${at}`, description: HOSTILE }));
    expectFits(recipesAnswer(recipes, many(40)));
    expect(liveMarkup(recipesAnswer(recipes, many(40)))).toEqual([]);
    expectFits(clustersAnswer(many(40)));
    expect(liveMarkup(clustersAnswer(many(40)))).toEqual(['<#C0OPS000001>']);
  });

  test('which of 40 clusters', () => {
    const typed = (cluster: string) => `deploy qwen35 note "${HOSTILE}" on ${cluster}`;
    const message = whichCluster(
      { text: 'Which?', hint: '', lines: [] },
      { not: undefined, clusters: many(40), typed },
    );
    expectFits(message);
    expect(liveMarkup(message)).toEqual([]);
  });

  test('a plan of 20 KB: its command is shown when all of it does not fit', () => {
    const text = `head\n\nnode\n${'  a long line of the plan\n'.repeat(900)}\nserve, in the container on spark1\n    vllm serve x\n\nlimits\n`;
    const message = planAnswer({ plan: aPlan({ model: HOSTILE }), text, revision: '1a2b3c4d' });
    expectFits(message);
    expect(liveMarkup(message)).toEqual([]);
    expect(message.text).toContain('vllm serve x');
  });

  test('checks of 16 nodes, and a diagnosis with endless lines', () => {
    const rows = Array.from({ length: 160 }, (_, at) => ({
      node: `spark${at}`,
      check: 'image',
      state: 'failed' as const,
      text: HOSTILE,
      remedy: HOSTILE,
      lines: [HOSTILE.repeat(20)],
    }));
    expectFits(checkAnswer({ cluster: 'spark', recipe: HOSTILE, rows }));
    const status = {
      cluster: 'spark',
      description: '',
      channels: [],
      serving: [],
      nodes: [],
      engines: [],
      lookedAt: START,
    };
    const lines = Array.from({ length: 15 }, () => HOSTILE.repeat(20));
    const log = { node: 'spark1', source: HOSTILE, error: { text: HOSTILE, lines }, last: lines };
    const message = diagnoseAnswer({ status, record: serving(), log }, new Date(START));
    expectFits(message);
    expect(liveMarkup(message)).toEqual([]);
  });
});

describe('the form', () => {
  test('fits, and has the only possible choice in it', () => {
    const clusters = many(3).map((each, at) => ({ ...each, channels: at === 1 ? ['C1'] : [] }));
    const form = deployForm(clusters, [{ name: 'qwen35', description: HOSTILE }], 'C1');
    expect(validateView(form, '')).toEqual([]);
    expect(form.blocks).toMatchObject([
      { block_id: 'cluster', element: { initial_option: { value: 'spark-1' } } },
      { block_id: 'recipe', element: { initial_option: { value: 'qwen35' } } },
      { block_id: 'overrides', optional: true },
      { block_id: 'until', optional: true },
      { block_id: 'note', optional: true },
    ]);
    expect(
      validateView(
        deployForm(
          many(150),
          Array.from({ length: 150 }, (_, at) => ({ name: `r${at}`, description: '' })),
          'C2',
        ),
        '',
      ),
    ).toEqual([]);
  });

  test('without a recipe there is none', () => {
    expect(() => deployForm(many(1), [], 'C1')).toThrow('No recipe is configured.');
  });
});

test('for a terminal, mrkdwn becomes plain text', () => {
  expect(
    plainText('a &lt;b&gt; &amp;lt; <@U0OPERATOR1> in <#C1|ops> at <!date^1^{time}|12:00 UTC>, <http://x|x>'),
  ).toBe('a <b> &lt; @U0OPERATOR1 in #C1 at 12:00 UTC, x');
});
