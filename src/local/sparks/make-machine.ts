import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { execPath } from 'node:process';
import { join } from 'node:path';
import { OWN_ENTRYPOINT } from './faults.ts';
import { linkTools } from './posix-tools.ts';
import { writeMachine, type Machine, type MachineImage } from './stand-ins/machine.ts';

export interface MachineFolders {
  home: string;
  bin: string;
  /** Programs in a container. */
  inside: string;
  models: string;
  cache: string;
  state: string;
}

export function foldersOf(machine: Machine): MachineFolders {
  const home = join(machine.folder, 'home');
  return {
    home,
    bin: join(machine.folder, 'bin'),
    inside: join(machine.folder, 'container-bin'),
    models: join(home, 'models'),
    cache: join(home, '.cache/huggingface'),
    state: join(home, '.sparkops'),
  };
}

export function makeImage(name: string, own: Partial<MachineImage> = {}): MachineImage {
  const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const env = ['NVIDIA_VISIBLE_DEVICES=all', 'VLLM_USAGE_SOURCE=production-docker-image'];
  return { name, id: digest(`id ${name}`), digest: digest(name), entrypoint: null, cmd: ['/bin/bash'], env, ...own };
}

/** Writes a machine's folder: its description, its home, and the programs of the host and of its containers. */
export async function makeMachine(machine: Machine, standIns: string): Promise<void> {
  const folders = foldersOf(machine);
  const { bin, inside } = folders;
  for (const folder of [...Object.values(folders), join(machine.folder, 'ports')]) {
    await mkdir(folder, { recursive: true });
  }
  writeMachine(machine);
  const program = async (folder: string, name: string, text: string) =>
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  // The dashes: Node takes an --env-file for its own wherever it stands.
  const standIn = (name: string) =>
    `exec ${quote(execPath)} -- ${quote(join(standIns, `${name}.js`))} ${quote(machine.folder)} "$@"`;

  for (const folder of [bin, inside]) {
    for (const missing of await linkTools(folder)) await program(folder, missing, standIn(missing));
  }
  await program(bin, 'docker', standIn('docker'));
  await program(bin, 'ip', ipText(machine));
  await program(bin, 'ss', ssText(machine));
  await program(bin, 'nvidia-smi', nvidiaText(machine));
  await program(bin, 'dmesg', "echo '[    4.118] nvidia 000f:01:00.0: enabling device (0000 -> 0002)'");
  for (const name of ['ray', 'vllm', 'python3', 'launch']) await program(inside, name, standIn(name));
  await program(bin, 'launch', standIn('launch'));
  const own = "echo 'Serving the default model; the arguments are not used'\nexec sleep 86400";
  await program(inside, OWN_ENTRYPOINT, own);
}

function ipText({ management, fabric }: Machine): string {
  const nets = [...(management ? [management] : []), fabric];
  const addresses = nets.map(({ address, interface: name }, at) => {
    const broadcast = address.replace(/\d+$/, '255');
    return `${at + 2}: ${name}    inet ${address}/24 brd ${broadcast} scope global noprefixroute ${name}\\       valid_lft forever preferred_lft forever`;
  });
  const loopback = '1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever';
  const gateway = management?.address.replace(/\d+$/, '1') ?? '';
  const route = management
    ? `default via ${gateway} dev ${management.interface} proto dhcp src ${management.address} metric 100 `
    : '';
  return [
    'case "$*" in',
    `'-o -4 addr show') printf '%s\\n' ${[loopback, ...addresses].map(quote).join(' ')} ;;`,
    `'-o -4 route show default') ${route ? `printf '%s\\n' ${quote(route)}` : ':'} ;;`,
    `*) echo "ip: this pretend machine does not know: $*" >&2; exit 255 ;;`,
    'esac',
  ].join('\n');
}

function ssText(machine: Machine): string {
  return [
    // Only root is told whose a socket is, and the programs of a machine are all of one user.
    'case "$1" in *p*) whose=yes ;; *) whose="" ;; esac',
    `for file in ${quote(join(machine.folder, 'ports'))}/*; do`,
    '  [ -f "$file" ] && read -r address port real pid kind < "$file" && kill -0 "$pid" 2>/dev/null || continue',
    // A killed process that nobody waited for has no sockets any more.
    '  grep -q "^State:.*zombie" "/proc/$pid/status" 2>/dev/null && continue',
    `  printf 'LISTEN 0      2048   %15s:%-5s      0.0.0.0:*%s\\n' "$address" "$port" "\${whose:+ users:((\\"python3\\",pid=$pid,fd=7))}"`,
    'done',
  ].join('\n');
}

function nvidiaText(machine: Machine): string {
  const uuid = createHash('sha256').update(machine.name).digest('hex').slice(0, 12);
  return [
    'case "$*" in',
    `-L) echo 'GPU 0: NVIDIA GB10 (UUID: GPU-6f1b2a7c-0d5e-4b3f-9a61-${uuid})' ;;`,
    '--query-gpu=name,driver_version,power.draw,temperature.gpu,utilization.gpu*)',
    `  pid=$(sed -n 's/ engine$//p' ${quote(join(machine.folder, 'ports'))}/* 2>/dev/null | sed 's/.* //')`,
    // What a loaded model draws depends on what it is asked.
    `  if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && read -r watts percent < ${quote(join(machine.folder, 'gpu-load'))}`,
    '  then echo "NVIDIA GB10, 580.95.05, $watts, 44, $percent"',
    "  else echo 'NVIDIA GB10, 580.95.05, 4.51, 38, 0'; fi ;;",
    '--query-compute-apps=pid,used_memory*)',
    `  for file in ${quote(join(machine.folder, 'gpu'))}/*; do`,
    '    pid=${file##*/}',
    '    [ -f "$file" ] && kill -0 "$pid" 2>/dev/null || continue',
    '    grep -q "^State:.*zombie" "/proc/$pid/status" 2>/dev/null && continue',
    '    echo "$pid, $(cat "$file")"',
    '  done',
    `  pid=$(sed -n 's/ engine$//p' ${quote(join(machine.folder, 'ports'))}/* 2>/dev/null | sed 's/.* //')`,
    '  [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && echo "$pid, 101870"',
    '  exit 0 ;;',
    "'') echo 'NVIDIA-SMI 580.95.05             Driver Version: 580.95.05      CUDA Version: 13.0' ;;",
    `*) echo "nvidia-smi: this pretend machine does not know: $*" >&2; exit 2 ;;`,
    'esac',
  ].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
