import type { KnownBlock } from '@slack/types';
import { expect, onTestFinished, test } from 'vitest';
import type { LocalSlack } from '../../src/local/slack/local-slack.ts';
import { APPROVER, OPERATOR, OPS_CHANNEL, OTHER_CHANNEL, VIEWER } from '../../src/local/slack/people.ts';
import { newClient, newSlack, overSocket } from '../local/slack/example-app.ts';
import { launchChromium } from './support/chromium.ts';
import { hasFocus, openIn, openSlackPage, type SlackPage } from './support/slack-page.ts';

const HOSTILE = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>\u202Eabc`;
const plain = (text: string) => ({ type: 'plain_text' as const, text });
const option = (value: string) => ({ text: plain(value.toUpperCase()), value });

async function post(slack: LocalSlack, text: string, blocks?: KnownBlock[]): Promise<string> {
  const { ts } = await newClient(slack).chat.postMessage({ channel: OPS_CHANNEL, text, ...(blocks ? { blocks } : {}) });
  return ts ?? '';
}

/** The action of the last click that reached the app. */
function lastAction(slack: LocalSlack): unknown {
  return slack.deliveries.at(-1)?.payload['actions'];
}

async function scrolled({ list }: SlackPage): Promise<number> {
  return list.evaluate((element) => element.scrollTop);
}

test('typed text, its selection, the focus and the place in the list outlive what happens meanwhile', async () => {
  const slack = await newSlack({ rateLimits: false });
  for (let index = 0; index < 30; index += 1) await post(slack, `message ${index}`);
  const deck: KnownBlock[] = [
    { type: 'header', text: plain('one') },
    {
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'a', text: plain('Cancel') },
        { type: 'button', action_id: 'b', text: plain('Logs') },
      ],
    },
  ];
  const card = await post(slack, 'card', deck);
  const shown = await openSlackPage(slack.url);
  const { page, list } = shown;
  const box = page.getByRole('textbox', { name: 'Message #spark-ops' });
  expect(await hasFocus(box)).toBe(true);

  await box.fill('half a sentence');
  await page.keyboard.press('Shift+Home');
  await post(slack, 'news');
  await list.getByText('news', { exact: true }).waitFor();
  await page.keyboard.type('whole');
  expect(await box.inputValue()).toBe('whole');

  const logs = list.getByRole('button', { name: 'Logs' });
  await logs.focus();
  await list.evaluate((element) => element.scrollBy(0, -300));
  const before = await scrolled(shown);
  await newClient(slack).chat.update({
    channel: OPS_CHANNEL,
    ts: card,
    text: 'card',
    blocks: [
      { type: 'header', text: plain('two') },
      { type: 'section', text: { type: 'mrkdwn', text: 'more' } },
      { type: 'actions', elements: [{ type: 'button', action_id: 'b', text: plain('Logs') }] },
    ],
  });
  await list.getByRole('heading', { name: 'two' }).waitFor();
  await post(slack, 'later');
  await list.getByText('later', { exact: true }).waitFor({ state: 'attached' });
  expect(await hasFocus(logs)).toBe(true);
  expect(await scrolled(shown)).toBe(before);

  await page.getByRole('button', { name: 'Newer messages' }).click();
  await page.getByRole('button', { name: 'Newer messages' }).waitFor({ state: 'hidden' });
  await newClient(slack).chat.update({ channel: OPS_CHANNEL, ts: card, text: 'card' });
  await list.getByRole('heading', { name: 'two' }).waitFor({ state: 'detached' });
});

test('the focus of a button that goes away stays at its message', async () => {
  const slack = await newSlack();
  await overSocket(slack);
  const { page, list, say } = await openSlackPage(slack.url);
  await say('/spark deploy qwen35');
  const approve = list.getByRole('button', { name: 'Approve' });
  await approve.focus();
  await page.keyboard.press('Enter');
  const message = list.getByRole('article').filter({ hasText: 'approved by @Operator' });
  await message.waitFor();
  expect(await hasFocus(message)).toBe(true);
});

test('a modal holds the focus, says what is wrong, submits, and gives the focus back', async () => {
  const slack = await newSlack();
  await overSocket(slack);
  const shown = await openSlackPage(slack.url);
  const { page, list } = shown;
  await shown.say('/spark deploy qwen35');
  const edit = list.getByRole('button', { name: 'Edit' });
  const modal = page.getByRole('dialog', { name: 'Edit deploy' });

  await edit.click();
  await modal.waitFor();
  await page.keyboard.press('Escape');
  await modal.waitFor({ state: 'hidden' });
  expect(slack.modals(OPERATOR)).toEqual([]);
  expect(await hasFocus(edit)).toBe(true);

  await page.keyboard.press('Enter');
  const length = modal.getByRole('textbox', { name: 'Context length' });
  await length.fill('many');
  await page.keyboard.press('Enter');
  await modal.getByRole('alert').getByText('must be a number').waitFor();
  await shown.screenshot('modal');
  expect(await length.getAttribute('aria-invalid')).toBe('true');
  expect([await hasFocus(length), await length.inputValue()]).toEqual([true, 'many']);

  await length.fill('8192');
  await page.keyboard.press('Enter');
  await modal.waitFor({ state: 'hidden' });
  expect(await hasFocus(edit)).toBe(true);
  await list.getByRole('link', { name: '1 reply' }).click();
  await shown.thread.getByText('length 8192').waitFor();
});

test('selects, menus, choices and files', async () => {
  const slack = await newSlack();
  await overSocket(slack);
  const options = [option('spark'), option('lab')];
  await post(slack, 'choose', [
    {
      type: 'actions',
      elements: [
        { type: 'static_select', action_id: 'cluster', placeholder: plain('Cluster'), options },
        { type: 'overflow', action_id: 'more', options },
        { type: 'users_select', action_id: 'who', placeholder: plain('Who') },
        { type: 'radio_buttons', action_id: 'one', options, initial_option: options[1] ?? option('lab') },
      ],
    },
  ]);
  const shown = await openSlackPage(slack.url);
  const { page, list } = shown;

  await list.getByRole('combobox', { name: 'Cluster' }).selectOption('LAB');
  await slack.until(() => slack.deliveries.length === 1);
  expect(lastAction(slack)).toMatchObject([{ action_id: 'cluster', selected_option: { value: 'lab' } }]);
  const more = list.getByRole('combobox', { name: 'More' });
  await more.selectOption('SPARK');
  await slack.until(() => slack.deliveries.length === 2);
  expect(lastAction(slack)).toMatchObject([{ action_id: 'more', selected_option: { value: 'spark' } }]);
  await list.getByRole('combobox', { name: 'Who' }).selectOption('Approver');
  await slack.until(() => slack.deliveries.length === 3);
  expect(lastAction(slack)).toMatchObject([{ action_id: 'who', selected_user: APPROVER }]);
  expect(await more.inputValue()).toBe('');
  expect(await list.getByRole('radio', { name: 'LAB' }).isChecked()).toBe(true);
  await list.getByRole('radio', { name: 'SPARK' }).check();
  await slack.until(() => slack.deliveries.length === 4);
  expect(lastAction(slack)).toMatchObject([{ action_id: 'one', selected_option: { value: 'spark' } }]);

  const content = 'line <b>1</b>\nline 2\n';
  await newClient(slack).filesUploadV2({
    channel_id: OPS_CHANNEL,
    filename: 'serve.log',
    title: 'serve.log of #1',
    content,
  });
  const link = list.getByRole('link', { name: /serve\.log of #1/ });
  const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
  await opened.waitForLoadState();
  expect(await opened.locator('body').innerText()).toContain('line <b>1</b>');
  await shown.screenshot('elements');
});

test('three people see what is theirs, and live', async () => {
  const slack = await newSlack();
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const operator = await openIn(browser, slack.url);
  const viewer = await openIn(browser, slack.url, { query: `?as=${VIEWER}&in=${OPS_CHANNEL}` });
  await newClient(slack).chat.postEphemeral({ channel: OPS_CHANNEL, user: VIEWER, text: 'psst' });
  await viewer.list.getByText('psst').waitFor();
  await operator.say('hello all');
  await viewer.list.getByText('hello all').waitFor();
  await operator.list.getByText('hello all').waitFor();
  expect(await operator.list.getByText('psst').count()).toBe(0);

  await viewer.be('Approver');
  expect(await viewer.list.getByText('psst').count()).toBe(0);
  const channels = viewer.page.getByRole('navigation', { name: 'Channels' });
  await channels.getByRole('link', { name: '#random' }).click();
  await viewer.page.getByRole('heading', { level: 1, name: '#random' }).waitFor();
  await viewer.say('only here');
  await slack.until(() =>
    slack.messages(OTHER_CHANNEL).find(({ user, text }) => user === APPROVER && text === 'only here'),
  );
  await viewer.page.getByRole('navigation', { name: 'Direct messages' }).getByRole('link').click();
  await viewer.page.getByRole('heading', { level: 1, name: 'sparkops' }).waitFor();
  await viewer.say('to the app alone');
  await viewer.list.getByText('to the app alone').waitFor();
});

test('light and dark follow the system until one is chosen, which lasts', async () => {
  const slack = await newSlack();
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  await post(slack, '*bold*, `code` and <https://x.test|a link>');
  const shown = await openIn(browser, slack.url, { scheme: 'dark' });
  await shown.screenshot('theme');
  const { page } = shown;
  const ground = () =>
    page.locator('body').evaluate((body) => body.ownerDocument.defaultView?.getComputedStyle(body).backgroundColor);
  const dark = 'rgb(26, 29, 33)';
  expect(await ground()).toBe(dark);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await ground()).toBe('rgb(255, 255, 255)');
  await page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark');
  expect(await ground()).toBe(dark);
  await page.goto((await newSlack()).url);
  expect(await ground()).toBe(dark);
  expect(await page.getByRole('combobox', { name: 'Theme' }).inputValue()).toBe('dark');
});

test('the keyboard reaches everything, and everything has a name', async () => {
  const slack = await newSlack();
  const root = await post(slack, 'a root');
  await newClient(slack).chat.postMessage({ channel: OPS_CHANNEL, thread_ts: root, text: 'a reply' });
  const { page, list, thread } = await openSlackPage(slack.url);
  const box = page.getByRole('textbox', { name: 'Message #spark-ops' });

  expect(await hasFocus(box)).toBe(true);
  await page.keyboard.press('Shift+Tab');
  const link = list.getByRole('link', { name: '1 reply' });
  expect(await hasFocus(link)).toBe(true);
  await page.keyboard.press('Enter');
  await thread.getByText('a reply').waitFor();
  const reply = page.getByRole('textbox', { name: 'Reply in the thread' });
  expect(await hasFocus(reply)).toBe(true);
  await page.keyboard.type('line 1');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('line 2');
  await page.keyboard.press('Enter');
  await slack.until(() => slack.thread(OPS_CHANNEL, root).find(({ text }) => text === 'line 1\nline 2'));
  await page.keyboard.press('Escape');
  await thread.waitFor({ state: 'hidden' });
  expect(await hasFocus(list.getByRole('link', { name: '2 replies' }))).toBe(true);
  await page.goBack();
  await thread.getByText('a reply').waitFor();
  await page.reload();
  await thread.getByText('a reply').waitFor();
  expect(await hasFocus(box)).toBe(true);

  const nameless = await page
    .locator('button, select, textarea, a[href]')
    .evaluateAll((controls) =>
      controls
        .filter(
          ({ textContent, ariaLabel, id, ownerDocument }) =>
            !textContent?.trim() && !ariaLabel && !ownerDocument.querySelector(`label[for="${id}"]`),
        )
        .map(({ outerHTML }) => outerHTML),
    );
  expect(nameless).toEqual([]);
  for (const role of ['main', 'complementary', 'navigation', 'status'] as const) {
    expect(await page.getByRole(role).first().isVisible()).toBe(true);
  }
});

test('what is new is read aloud once: a message whole, a changed card by its headline', async () => {
  const slack = await newSlack();
  const { page, list } = await openSlackPage(slack.url);
  const aloud = page.getByRole('status');
  const card = (title: string, detail: string): KnownBlock[] => [
    { type: 'header', text: plain(title) },
    { type: 'section', text: plain(detail) },
  ];
  const ts = await post(slack, 'card', card('DEPLOYING', 'a detail'));
  await aloud.getByText(/^sparkops: .*DEPLOYING/s).waitFor({ state: 'attached' });
  const client = newClient(slack);
  await client.chat.update({ channel: OPS_CHANNEL, ts, text: 'card', blocks: card('DEPLOYING', 'another detail') });
  await list.getByText('another detail').waitFor();
  await client.chat.update({ channel: OPS_CHANNEL, ts, text: 'card', blocks: card('UP', 'another detail') });
  await aloud.getByText('UP', { exact: true }).waitFor({ state: 'attached' });
  expect(await aloud.locator('p').count()).toBe(2);
});

test('hostile text stays text', async () => {
  const slack = await newSlack();
  const confirm = { title: plain('Sure?'), text: plain(HOSTILE), confirm: plain('Yes'), deny: plain('No') };
  await post(slack, HOSTILE, [
    { type: 'header', text: plain(HOSTILE) },
    { type: 'actions', elements: [{ type: 'button', action_id: 'a', value: HOSTILE, text: plain('Press'), confirm }] },
  ]);
  const { page, list, say } = await openSlackPage(slack.url);
  await say(HOSTILE);
  await list.getByText('<script>').nth(1).waitFor();
  await list.getByRole('button', { name: 'Press' }).click();
  await page.getByRole('dialog').getByText('<img src=x').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.title()).toBe('#spark-ops as Operator | Local Slack');
});

test('a press that nobody hears says so', async () => {
  const slack = await newSlack();
  await post(slack, 'x', [{ type: 'actions', elements: [{ type: 'button', action_id: 'a', text: plain('Press') }] }]);
  const { page, list } = await openSlackPage(slack.url);
  await page.getByText('sparkops has no socket open').waitFor();
  await list.getByRole('button', { name: 'Press' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'sparkops did not answer' });
  await alert.waitFor();
  expect(await alert.innerText()).toContain('try again');
});
