import { describe, expect, test } from 'vitest';
import { benchEngine } from '../../../src/cluster/probes/bench-engine.ts';
import type { Http } from '../../../src/cluster/remote/http.ts';

const options = { servedName: 'qwen35', nonce: 'n1', signal: new AbortController().signal, limitMs: 1_000 };

/** An engine that answers each question with the same events, and keeps what it was asked. */
function engine(status: number, events: readonly string[]): { http: Http; asked: string[] } {
  const asked: string[] = [];
  const http: Http = {
    request: () => Promise.reject(new Error('not asked')),
    stream: async ({ body = '' }) => {
      asked.push(body);
      return {
        status,
        headers: {},
        close: () => undefined,
        chunks: (async function* () {
          for (const event of events) yield event;
        })(),
      };
    },
  };
  return { http, asked };
}

function token(text: string): string {
  return `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`;
}

describe('a bench', () => {
  test('measures three questions that no cache knows', async () => {
    const { http, asked } = engine(200, [token('one'), token(' two'), token(' three'), 'data: [DONE]\n\n']);
    let at = 0;
    const runs = await benchEngine(http, { ...options, now: () => (at += 100) });
    expect(runs).toEqual([
      { name: 'short answer', ttftMs: 100, tokens: 3, tokensPerSecond: 10 },
      { name: 'long answer', ttftMs: 100, tokens: 3, tokensPerSecond: 10 },
      { name: 'long prompt', ttftMs: 100, tokens: 3, tokensPerSecond: 10 },
    ]);
    expect(asked).toHaveLength(3);
    for (const body of asked) expect(body).toContain('Run n1.');
  });

  test('says why when the engine refuses, or breaks off', async () => {
    await expect(benchEngine(engine(404, ['no such model']).http, options)).rejects.toMatchObject({
      code: 'command-failed',
      message: 'The engine refused a chat with status 404.',
      lines: ['no such model'],
    });
    const broken = engine(200, [token('one'), 'data: {"error":{"message":"EngineDeadError"}}\n\n']);
    await expect(benchEngine(broken.http, options)).rejects.toMatchObject({ lines: ['EngineDeadError'] });
  });
});
