import { withoutPrompts } from '../../cluster/logs/without-prompts.ts';
import { run } from '../../cluster/remote/command.ts';
import type { FullLog } from '../jobs.ts';
import { stateFolder } from './look-at-node.ts';
import type { FullLogLook } from './look-requests.ts';
import type { Looking } from './run-look.ts';

/**
 * The end of the engine's own file on the head, kept when the containers are removed, without what users asked or were
 * answered. Undefined: there is none.
 */
export async function lookAtFullLog(looking: Looking, request: FullLogLook): Promise<FullLog | undefined> {
  const { signal, limitMs } = looking;
  const { uid, head, bytes } = request;
  const cluster = (await looking.config()).clusters.get(request.cluster);
  const node = cluster?.nodes.find(({ name }) => name === head);
  if (!cluster || !node) return undefined;
  const command = run('tail', '-c', bytes, '--', `${stateFolder(cluster, node)}/runs/${uid}/serve.log`);
  const { exitCode, stdout } = await looking.transports.to(cluster).exec(head, command, { signal, limitMs });
  if (exitCode !== 0 || stdout.trim() === '') return undefined;
  const whole = Buffer.byteLength(stdout) < bytes;
  return { node: head, text: withoutPrompts(stdout.split('\n'), { cut: !whole }).join('\n'), whole };
}
