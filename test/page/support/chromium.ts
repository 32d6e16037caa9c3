import { basename, dirname } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { findProgram } from '../../../src/local/find-program.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path in CHROMIUM, or of the machine's Chromium; nothing when it has none. */
export async function findChromium(): Promise<string | undefined> {
  const { CHROMIUM: named, PATH: path = '' } = process.env;
  return named === undefined ? findProgram(NAMES, path) : findProgram([basename(named)], dirname(named));
}

/** A browser with a profile of its own, which goes with it. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error('Chromium is missing');
  // Chromium's sandbox refuses to run as root.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...FLAGS, ...asRoot] });
}
