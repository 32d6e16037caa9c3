import { expect, it } from 'vitest';
import { engineHealth } from '../../../src/cluster/probes/engine-health.ts';
import type { Http } from '../../../src/cluster/remote/http.ts';
import { OperatorError } from '../../../src/errors.ts';

type Answers = Record<string, { status: number; body?: string }>;

function http(answers: Answers): Http {
  return {
    request: async ({ path }) => {
      const answer = answers[path];
      if (!answer) throw new OperatorError('unreachable', `${path}: connection refused`, { hint: '' });
      return { headers: {}, body: '', ...answer };
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
}

const models = (...names: string[]) => ({ status: 200, body: JSON.stringify({ data: names.map((id) => ({ id })) }) });

it.each<[string, Answers, object]>([
  [
    'healthy with the name',
    { '/health': { status: 200 }, '/v1/models': models('a', 'qwen35') },
    { state: 'ready', text: 'qwen35' },
  ],
  [
    'asking for a key',
    { '/health': { status: 200 }, '/v1/models': { status: 401 } },
    { state: 'ready', text: 'asks for a key' },
  ],
  ['asking for a key at once', { '/health': { status: 401 } }, { state: 'ready', text: 'asks for a key' }],
  ['still loading', { '/health': { status: 503 } }, { state: 'busy', text: '/health answers 503' }],
  [
    'without its models',
    { '/health': { status: 200 }, '/v1/models': { status: 404 } },
    { state: 'busy', text: '/v1/models answers 404' },
  ],
  [
    'of another name',
    { '/health': { status: 200 }, '/v1/models': models('llama') },
    { state: 'other-model', names: ['llama'] },
  ],
  [
    'talking nonsense',
    { '/health': { status: 200 }, '/v1/models': { status: 200, body: '<html>' } },
    { state: 'other-model', names: [] },
  ],
  ['silent', {}, { state: 'silent', text: '/health: connection refused' }],
])('sees an engine that is %s', async (_, answers, health) => {
  const options = { servedName: 'qwen35', signal: AbortSignal.timeout(5_000), limitMs: 1_000 };
  expect(await engineHealth(http(answers), options)).toEqual(health);
});

it('lets an abort and a bug pass', async () => {
  const options = { servedName: 'qwen35', limitMs: 1_000 };
  const aborted = { ...options, signal: AbortSignal.abort(new Error('cancelled')) };
  await expect(engineHealth(http({}), aborted)).rejects.toThrow('cancelled');
  const broken: Http = { ...http({}), request: () => Promise.reject(new TypeError('bug')) };
  await expect(engineHealth(broken, { ...options, signal: AbortSignal.timeout(1_000) })).rejects.toThrow('bug');
});
