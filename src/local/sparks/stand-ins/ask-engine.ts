import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseFlags } from './flags.ts';
import type { Machine } from './machine.ts';
import { listeners } from './ports.ts';

const PAUSE_MS = 100;

/** What programs/plan-script/ask-engine.py does, with the pretend engine: the same lines and ends. */
export async function askEngine(machine: Machine, words: string[]): Promise<number> {
  process.stdin.resume();
  try {
    const flags = parseFlags(words);
    const flag = (name: string) => flags.get(name) ?? '';
    const base = await engine(machine, { run: flag('run'), limitMs: Number(flag('load-limit')) * 1_000 });
    if (base === undefined) return fail(`The engine has ended, or does not answer: see ${flag('run')}/serve.log`);
    process.stdout.write(`  the engine answers, now one question: ${flag('question')}\n`);
    const response = await fetch(`${base}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: flag('model'), messages: [{ role: 'user', content: flag('question') }] }),
    });
    const text = await response.text();
    process.stdout.write(`  ${text.slice(0, 200)}\n`);
    return new RegExp(`\\b${flag('answer')}\\b`).test(text)
      ? 0
      : fail(`The answer is wrong: ${flag('answer')} is right.`);
  } finally {
    process.stdin.destroy();
  }
}

/** Where it listens, once it is healthy. Undefined: it has ended, or the limit has passed. */
async function engine(
  machine: Machine,
  { run, limitMs }: { run: string; limitMs: number },
): Promise<string | undefined> {
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt && !existsSync(`${run}/serve.exit`)) {
    const listener = listeners(machine.folder).find((one) => one.kind === 'engine');
    const base = `http://127.0.0.1:${listener?.real ?? 0}`;
    if (listener && (await fetch(`${base}/health`).catch(() => undefined))?.ok) return base;
    await delay(PAUSE_MS);
  }
  return undefined;
}

function fail(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}
