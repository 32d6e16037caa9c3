import { expect, onTestFinished, test } from 'vitest';
import { startDemo } from './support/demo.ts';
import { hasFocus, openSlackPage, SIZES, type Size, type SlackPage } from './support/slack-page.ts';

async function onDemo(size: Size, ...args: string[]): Promise<SlackPage> {
  const demo = await startDemo(...args);
  onTestFinished(() => demo.stop());
  return openSlackPage(demo.url, { size });
}

function fitsItsWindow({ page }: SlackPage): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= innerWidth');
}

test.each(['desktop', 'phone'] as const)('a deploy, its thread, status and a refusal, on a %s', async (size) => {
  const slack = await onDemo(size);
  const { page, list, thread } = slack;
  await slack.say('/spark deploy qwen35');
  const answer = list.getByRole('article').filter({ hasText: 'Only visible to you' });
  await answer.getByText('Deploying qwen35 on spark, #1').waitFor();

  const card = slack.card(/^spark (DEPLOYING|UP): qwen35/);
  await card.getByRole('heading', { name: /^Step \d of \d/ }).waitFor();
  await card.getByText('Preflight, done in').waitFor();
  await card.getByText('Load, running').waitFor({ timeout: 30_000 });
  await slack.screenshot('deploy-running');
  expect(await card.getByRole('listitem').count()).toBe(8);
  expect(await card.getByRole('button', { name: 'Cancel' }).isVisible()).toBe(true);

  await card.getByRole('link', { name: /^\d repl/ }).click();
  await thread.getByText(/^Checks: \d+ ok/).waitFor();
  await thread.getByText(/^spark UP: qwen35, \d+ tok\/s, took/).waitFor({ timeout: 30_000 });
  await slack.screenshot('deploy-thread');
  await page.keyboard.press('Escape');
  expect(await thread.isVisible()).toBe(false);
  await card.getByRole('heading', { name: /^spark UP: qwen35, \d+ tok\/s/ }).waitFor();
  await card.getByText('8 of 8 steps done').waitFor();
  expect(await card.getByRole('button').count()).toBe(0);

  await slack.say('/spark status');
  await list.getByText(/^spark OK: qwen35 \(#1\)/i).waitFor();
  await slack.screenshot('status');
  expect(await fitsItsWindow(slack)).toBe(true);

  await slack.be('Viewer');
  await list.getByText(/^spark UP: qwen35, \d+ tok\/s, took/).waitFor();
  expect(await list.getByText('Only visible to you').count()).toBe(0);
  await slack.say('/spark stop spark');
  const refusal = list.getByRole('article').filter({ hasText: 'Only visible to you' });
  await refusal.getByText(/^Not stopped/).waitFor();
  await refusal.getByText('Nothing was changed.').waitFor();
  await slack.screenshot('refusal');
});

test.each(['desktop', 'phone'] as const)(
  'a failure shows its cause and the lines that prove it, on a %s',
  async (size) => {
    const slack = await onDemo(size, '--fault', 'serve-dies');
    await slack.say('/spark deploy qwen35');
    const card = slack.card(/^spark FAILED: qwen35 at load/);
    await card.getByText('Load, failed').waitFor({ timeout: 40_000 });
    await card.getByText(/^Cause: .*CUDA out of memory/).waitFor();
    await slack.screenshot('failure-card');

    await card.getByRole('link', { name: /^\d repl/ }).click();
    const proof = slack.thread.locator('pre').filter({ hasText: 'torch.OutOfMemoryError' });
    await proof.first().waitFor();
    await slack.thread.getByText(/^spark FAILED: qwen35, /).waitFor();
    await slack.screenshot('failure-thread');
    expect(await fitsItsWindow(slack)).toBe(true);
  },
);

test.each(Object.keys(SIZES) as Size[])('a cancel asks first, and works by keyboard alone, on a %s', async (size) => {
  const slack = await onDemo(size, '--fault', 'slow');
  const { page, list } = slack;
  await slack.say('/spark deploy qwen35');
  const card = slack.card(/^spark \w+: qwen35/);
  await card.getByText('Load, running').waitFor({ timeout: 30_000 });

  const cancel = card.getByRole('button', { name: 'Cancel' });
  await cancel.focus();
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Cancel #1?' });
  await question.waitFor();
  await slack.screenshot('cancel-question');
  expect(await hasFocus(question.getByRole('button', { name: 'Go back' }))).toBe(true);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  expect(await hasFocus(cancel)).toBe(true);
  expect(await list.getByText('asked to cancel').count()).toBe(0);

  await page.keyboard.press('Enter');
  await question.waitFor();
  await page.keyboard.press('Tab');
  expect(await hasFocus(question.getByRole('button', { name: 'Cancel it' }))).toBe(true);
  await page.keyboard.press('Enter');
  await card.getByRole('heading', { name: 'spark CANCELLED: qwen35 (#1)' }).waitFor({ timeout: 30_000 });
  expect(await hasFocus(card)).toBe(true);
  await list.getByText(/^spark CANCELLED: qwen35, #1 by/).waitFor();
  await slack.screenshot('cancelled');
});
