import type { Foreign } from './foreign.ts';

/** "container vllm_node (image x:1, user root inside, port 8000, restart unless-stopped, 71 GB of GPU memory)" */
export function foreignText(foreign: Foreign): string {
  const { kind, name, id, realm } = foreign;
  const what = kind === 'container' ? `container ${name}` : `process ${name} (pid ${id})`;
  const whose = realm === undefined ? what : `${what} of another sparkops, ${realm}`;
  const about = aboutForeign(foreign).join(', ');
  return about === '' ? whose : `${whose} (${about})`;
}

/** What there is to know of it, each in a few words. */
export function aboutForeign({ kind, image, user, ports, portsLikely, restart, gpuMemory }: Foreign): readonly string[] {
  return [
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
