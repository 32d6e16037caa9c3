import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { launchChromium } from './chromium.ts';
import { SCREENSHOTS } from './screenshots.ts';

export const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;
export type Size = keyof typeof SIZES;

export interface Look {
  size?: Size;
  scheme?: 'light' | 'dark';
  /** What follows `/` in the address. */
  query?: string;
}

/** The local Slack's page in a browser of its own, and what a person does there. */
export interface SlackPage {
  page: Page;
  /** The channel's messages. */
  list: Locator;
  thread: Locator;
  say: (text: string) => Promise<void>;
  be: (person: 'Operator' | 'Approver' | 'Viewer') => Promise<void>;
  /** The message with this heading. */
  card: (heading: RegExp) => Locator;
  screenshot: (name: string) => Promise<void>;
}

/** Fails the test, too, when anything on the page went wrong that the browser noticed. */
export async function openSlackPage(url: string, options: Look = {}): Promise<SlackPage> {
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  return openIn(browser, url, options);
}

export async function openIn(
  browser: Browser,
  url: string,
  { size = 'desktop', scheme = 'light', query = '' }: Look = {},
): Promise<SlackPage> {
  const isPhone = size === 'phone';
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: scheme, hasTouch: isPhone });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  onTestFinished(() => expect(complaints).toEqual([]));
  const live = page.waitForResponse(/\/page\/stream/);
  await page.goto(url + query);
  await live;

  const list = page.locator('#list');
  return {
    page,
    list,
    thread: page.getByRole('complementary', { name: 'Thread' }),
    async say(text) {
      await page.getByRole('textbox', { name: /^Message / }).fill(text);
      await page.keyboard.press('Enter');
    },
    async be(person) {
      if (isPhone) await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('navigation', { name: 'You are' }).getByRole('link', { name: person }).click();
      await page.waitForLoadState();
    },
    card: (heading) => list.getByRole('article').filter({ has: page.getByRole('heading', { name: heading }) }),
    async screenshot(name) {
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${size}-${scheme}.png`) });
    },
  };
}

/** Whether it has the focus, or gets it soon: the browser moves the focus after it has drawn. */
export function hasFocus(element: Locator): Promise<boolean> {
  const focused = element.and(element.page().locator(':focus'));
  return focused.waitFor({ timeout: 3_000 }).then(
    () => true,
    () => false,
  );
}
