import { afterEach, expect, it } from 'vitest';
import { APPROVER, OPERATOR, OPS_CHANNEL } from '../../src/local/slack/people.ts';
import { answers, eventually, type Place, running, say, startPlace, threadText } from '../support/place.ts';

let place: Place;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

/** What the Operator is answered next. */
async function answerTo(text: string, person = OPERATOR): Promise<string> {
  const before = answers(place, person).length;
  await say(place, text, person);
  return eventually(`an answer to ${text}`, 20_000, () => answers(place, person)[before]);
}

it(
  'what somebody started by hand is named, keeps a deploy away, and can be claimed',
  { timeout: 120_000 },
  async () => {
    place = await startPlace({ faults: ['foreign-container', 'foreign-process'] });
    await place.product();

    const status = await answerTo('/spark status spark');
    expect(status).toContain(
      'spark FOREIGN: vllm_node, python3 were not started by me, 155 GB on 2 nodes. I leave them alone.',
    );
    expect(status).toMatch(
      /Container vllm_node on spark1 and spark2 since .*, user root inside, image hellohal2064\/vllm-qwen3.5-gb10:latest, port 8000\./,
    );
    expect(status).toContain('It comes back after a reboot (unless-stopped).');
    expect(status).toContain('Deploys on spark are refused while they run.');

    await say(place, '/spark deploy qwen35');
    const record = await place.ended(1);
    expect(record).toMatchObject({ state: 'failed', phase: 'preflight' });
    expect(record.cause?.text).toMatch(
      /^spark1: not started by this sparkops: container vllm_node \(image \S+, user root inside, port 8000, restart unless-stopped, 71 GB of GPU memory\)\./,
    );
    expect(record.remedy).toContain('stop-foreign vllm_node on spark');
    expect(record.remedy).toContain('force foreign reason:');
    expect(threadText(place)).toContain('vllm_node');
    expect(running(place)).toEqual({ spark1: ['vllm_node'], spark2: ['vllm_node'] });
    expect(await answerTo('/spark check qwen35')).toContain('vllm_node');

    // The button of the status does what is typed.
    const shown = place.slack.ephemerals(OPERATOR).find((message) => place.slack.textOf(message).includes('FOREIGN'));
    await place.slack.click(OPERATOR, shown?.ts ?? '', 'mine-0');
    const claimed = () => place.slack.messages(OPS_CHANNEL).map(place.slack.textOf).join('\n');
    await eventually('the channel is told', 20_000, () => claimed().includes('vllm_node on spark1 and spark2 is'));
    expect(await answerTo('/spark status spark')).toMatch(/says that it is theirs\.\n/);
    expect(await answerTo('/spark mine vlm_node on spark')).toContain('Did you mean vllm_node?');

    await place.sparks.kill('spark1', 'containers');
    await place.sparks.kill('spark2', 'containers');
    expect(await answerTo('/spark status spark')).not.toContain('vllm_node');
    expect(await answerTo('/spark mine vllm_node on spark', APPROVER)).toContain('Not noted');
  },
);
