import { expect, it } from 'vitest';
import { deadActor } from '../../../src/cluster/logs/dead-actor.ts';
import { plainCause } from '../../../src/cluster/logs/error-lines.ts';

const TOLD = [
  'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
  '\tclass_name: RayWorkerWrapper',
  '\tactor_id: afb11c34351eb2f99e92781702000000',
  '\tpid: 96',
  '\tnamespace: 2f3f5d5c-5a0c-4d55-9d8e-0a4f5bb0e3a1',
  '\tip: 192.168.200.13',
  'The actor died because its node has died. Node Id: 3f1c',
  "\tthe actor's node was terminated unexpectedly: health check failed due to missing too many heartbeats",
];

it('reads where the actor was and why it died', () => {
  expect(deadActor(TOLD, 0)).toEqual({ ip: '192.168.200.13', why: 'The actor died because its node has died.' });
  expect(deadActor(['RuntimeError: no', '\tip: 192.168.200.13'], 0)).toEqual({});
});

it('is told as the cause, with the node that died', () => {
  const log = TOLD.map((text) => ({ text: `ERROR 12-01 05:21:33 [core.py:936] ${text}` }));
  const cause = plainCause(log, (ip) => (ip === '192.168.200.13' ? 'spark2' : undefined));

  expect(cause.ip).toBe('192.168.200.13');
  expect(cause.exception).toBe('ray.exceptions.ActorDiedError');
  expect(cause.text).toContain('its node has died');
});
