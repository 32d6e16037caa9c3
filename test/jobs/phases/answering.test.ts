import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { smokeQuestion } from '../../../src/cluster/probes/smoke-test.ts';
import { PHASES } from '../../../src/jobs/phases/all.ts';
import { fakeRun } from '../../support/fake-machines.ts';
import { type ContainerLines, containersAnswer } from '../../support/node-answers.ts';
import { recipe, renderedPlan } from '../../support/rendered-plan.ts';

const plan = renderedPlan();
const { answer } = smokeQuestion(plan.uid);
let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** The engine on the head, reached as the phases reach it. */
async function engine(listener: RequestListener) {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dialed: string[] = [];
  const dial = async (node: string, target: { host: string; port: number }): Promise<Duplex> => {
    dialed.push(`${node}: ${target.host}:${target.port}`);
    return connect(port, '127.0.0.1');
  };
  return { dial, dialed };
}

function on(containers: ContainerLines[]) {
  return ({ text }: { text: string }) => {
    if (text.includes('serve.log'))
      return text.startsWith('tail') ? 'RuntimeError: boom\n' : '# inode=5 from=0 bytes=0 state=alive\n';
    return containersAnswer(containers);
  };
}

const models = (...names: string[]): RequestListener => {
  return ({ url }, response) =>
    void response.end(url === '/v1/models' ? JSON.stringify({ data: names.map((id) => ({ id })) }) : '');
};

it('load: is done when the engine names the model, through the connection of the head', async () => {
  const { dial, dialed } = await engine(models('qwen35'));
  const run = fakeRun(plan, on([]), { dial });
  expect(await PHASES.load.look(run.ctx)).toEqual({ state: 'done', saw: 'the engine serves qwen35' });
  expect(dialed[0]).toBe('spark1: 127.0.0.1:8000');
});

it('load: asks where the engine listens', async () => {
  const { dial, dialed } = await engine(models('m'));
  const own = renderedPlan({ argv: ['vllm', 'serve', 'm', '-tp', '2', '--host', '192.168.200.12', '--port', '9000'] });
  expect(await PHASES.load.look(fakeRun(own, on([]), { dial }).ctx)).toMatchObject({ state: 'done' });
  expect(dialed[0]).toBe('spark1: 192.168.200.12:9000');
});

it.each([
  [['llama', 'x'], 'The engine is up, but serves llama, x, not qwen35.'],
  [[], 'The engine is up, but serves no model, not qwen35.'],
])('load: is blocked by an engine that serves %j', async (names, text) => {
  const { dial } = await engine(models(...names));
  expect(await PHASES.load.look(fakeRun(plan, on([]), { dial }).ctx)).toMatchObject({
    state: 'blocked',
    finding: { text },
  });
});

const own = { name: 'sparkops-abcdefghij-spark1', uid: plan.uid };

it('smoke: keeps what it measured', async () => {
  const { dial } = await engine((_, response) => {
    response.end(`data: ${JSON.stringify({ choices: [{ delta: { content: String(answer) } }] })}\n\ndata: [DONE]\n\n`);
  });
  const run = fakeRun(plan, on([own]), { dial });
  expect(await PHASES.smoke.look(run.ctx)).toEqual({
    state: 'done',
    saw: expect.stringMatching(/^right answer, first token \d+ ms, 0 tok\/s$/),
  });
  expect(run.kept).toEqual({ endpoint: plan.endpoint, smoke: { ttftMs: expect.any(Number), tokensPerSecond: 0 } });
});

it('smoke: shows the key of the recipe', async () => {
  let shown = '';
  const { dial } = await engine((request, response) => {
    shown = request.headers.authorization ?? '';
    response.writeHead(401).end('no');
  });
  const keyed = renderedPlan({ recipe: { ...recipe, secrets: { VLLM_API_KEY: 'engine-key' } } });
  const run = fakeRun(keyed, on([own]), { dial, secrets: { 'engine-key': 'k3y' } });
  expect(await PHASES.smoke.look(run.ctx)).toMatchObject({
    state: 'blocked',
    finding: { text: expect.stringContaining('status 401') },
  });
  expect(shown).toBe('Bearer k3y');
});

it('smoke: says how the engine died of its first request, or looks again', async () => {
  const { dial } = await engine(({ socket }) => socket.destroy());
  const dead = fakeRun(plan, on([{ ...own, serveExit: '1' }]), { dial });
  expect(await PHASES.smoke.look(dead.ctx)).toMatchObject({
    state: 'blocked',
    finding: { text: 'The engine ended with code 1 in step smoke: RuntimeError: boom' },
  });
  const alive = fakeRun(plan, on([{ ...own, engine: 'alive' }]), { dial });
  await expect(PHASES.smoke.look(alive.ctx)).rejects.toMatchObject({ code: 'unreachable' });
});
