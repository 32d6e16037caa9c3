import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchChromium } from '../test/page/support/chromium.ts';
import { startDemo } from '../test/page/support/demo.ts';

const MOST_BYTES = 200_000;
const LIMIT = { timeout: 60_000 };

/** docs/card.png and docs/page.png: the demo's card and page, as they are. Needs a build and Chromium. */
async function takePictures(): Promise<void> {
  const demo = await startDemo('--fault', 'slow');
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
    const page = await context.newPage();
    await page.goto(demo.url);
    await page.getByRole('textbox', { name: /^Message / }).fill('/spark deploy qwen35');
    await page.keyboard.press('Enter');
    const card = page.locator('#list').getByRole('article').filter({ hasText: 'Load, running' });
    await card
      .getByText(/[1-9]\d %/)
      .first()
      .waitFor(LIMIT);
    await card.getByRole('link', { name: /repl/ }).click();
    await page.getByRole('complementary', { name: 'Thread' }).getByText('Checks:').waitFor(LIMIT);
    await keep(page, 'page');
    await page.keyboard.press('Escape');
    await page.mouse.move(0, 0);
    await keep(card.locator('.content'), 'card');
  } finally {
    await browser.close();
    await demo.stop();
  }
}

async function keep(subject: Pick<Page, 'screenshot'>, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`../docs/${name}.png`, import.meta.url));
  await subject.screenshot({ path });
  const { size } = await stat(path);
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}`);
}

await takePictures();
