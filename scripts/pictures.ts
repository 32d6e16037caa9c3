import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchChromium } from '../test/page/support/chromium.ts';
import { startDemo } from '../test/page/support/demo.ts';

const MOST_BYTES = 200_000;
/** Of a message with what stands beside it. */
const CARD_WIDTH = 760;
const LIMIT = { timeout: 60_000 };

type Clip = Exclude<NonNullable<Parameters<Page['screenshot']>[0]>['clip'], undefined>;

/** docs/card.png and docs/page.png: the demo's card and page, as they are. Needs a build and Chromium. */
async function takePictures(): Promise<void> {
  const demo = await startDemo('--fault', 'slow');
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, colorScheme: 'light' });
    const page = await context.newPage();
    await page.goto(demo.url);
    await page.getByRole('textbox', { name: /^Message / }).fill('/spark deploy qwen35');
    await page.keyboard.press('Enter');
    const list = page.locator('#list');
    const card = list.getByRole('article').filter({ hasText: 'Load, running' });
    await card
      .getByText(/[4-9]\d %/)
      .first()
      .waitFor(LIMIT);
    await card.getByRole('link', { name: /repl/ }).click();
    await page.getByRole('complementary', { name: 'Thread' }).getByText('Checks:').waitFor(LIMIT);
    await page.mouse.move(0, 0);
    await keep(page, 'page');
    await page.keyboard.press('Escape');
    await page.locator(':focus').blur();
    const box = await card.boundingBox();
    if (!box) throw new Error('The card is out of sight');
    await keep(page, 'card', { ...box, width: CARD_WIDTH });
  } finally {
    await browser.close();
    await demo.stop();
  }
}

async function keep(page: Page, name: string, clip?: Clip): Promise<void> {
  const path = fileURLToPath(new URL(`../docs/${name}.png`, import.meta.url));
  await page.screenshot({ path, ...(clip ? { clip } : {}) });
  const { size } = await stat(path);
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}`);
}

await takePictures();
