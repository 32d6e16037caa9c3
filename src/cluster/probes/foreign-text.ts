import type { Foreign } from './foreign.ts';

/** "container vllm_node (image x:1, user root inside, port 8000, restart unless-stopped, 71 GB of GPU memory)" */
export function foreignText(foreign: Foreign): string {
  const { kind, name, realm } = foreign;
  const whose = realm === undefined ? `${kind} ${name}` : `${kind} ${name} of another sparkops, ${realm}`;
  const about = aboutForeign(foreign).join(', ');
  return about === '' ? whose : `${whose} (${about})`;
}

function aboutForeign({ kind, id, image, user, ports, portsLikely, restart, gpuMemory }: Foreign): readonly string[] {
  return [
    ...(kind === 'process' ? [`pid ${id}`] : []),
    ...(image === undefined ? [] : [`image ${image}`]),
    ...(user === undefined ? [] : [kind === 'container' ? `user ${user} inside` : `user ${user}`]),
    ...(ports.length === 0 ? [] : [`${portsLikely ? 'probably ' : ''}port ${ports.join(' and ')}`]),
    ...(kind === 'container' ? [comesBack(restart) ? `restart ${restart}` : 'no restart policy'] : []),
    ...(gpuMemory === undefined ? [] : [`${memoryText(gpuMemory)} of GPU memory`]),
  ];
}

/** Whether Docker would start it again by itself. */
export function comesBack(restart: string | undefined): restart is string {
  return restart !== undefined && restart !== '' && restart !== 'no';
}

/** What to call it in a command: a container's name, a process's pid. */
export function foreignWord({ kind, name, id }: Foreign): string {
  return kind === 'container' ? name : id;
}

/** Of MiB: "71 GB", "312 MB". */
export function memoryText(mib: number): string {
  const megabytes = (mib * 1_048_576) / 1_000_000;
  return megabytes < 1_000 ? `${Math.round(megabytes)} MB` : `${Math.round(megabytes / 1_000)} GB`;
}
