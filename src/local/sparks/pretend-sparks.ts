import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ClusterFile } from '../../config/cluster-file.ts';
import { OperatorError } from '../../errors.ts';
import { spoil, type FaultName } from './faults.ts';
import { makeHolds, type Hold } from './holds.ts';
import { makeKey } from './keys.ts';
import { foldersOf, makeImage } from './make-machine.ts';
import { containersOn, killOn, startPretendSpark, startsOn } from './pretend-spark.ts';
import type { Killable, PretendContainer, PretendSpark } from './pretend-spark.ts';
import { runCommand, runOn, type RanCommand } from './run-command.ts';
import { readMachine, writeMachine, type Machine, type MachineImage } from './stand-ins/machine.ts';
import { listeners } from './stand-ins/ports.ts';
import { withEnvironment } from './stand-ins/processes.ts';
import { listenAsStranger } from './stranger.ts';

export type NodeName = 'spark1' | 'spark2';

export interface PretendSparksOptions {
  /** Ours alone; a path of letters, digits and . _ / + @ - */
  folder: string;
  faults?: readonly FaultName[];
  /** How long the engine reads weights. Default: 3. */
  loadSeconds?: number;
  image?: Partial<MachineImage>;
  /** Slack channels whose commands mean this cluster. */
  channels?: readonly string[];
  /** Keeps what commands were given on standard input. */
  keepInput?: boolean;
  /** Folder of the compiled stand-ins. */
  standIns?: string;
}

export interface PretendSparks {
  /** What config/clusters/NAME.yaml holds for them. */
  clusterFile: () => ClusterFile;
  /** The image that they have, with its tag. */
  image: string;
  /** Every command that came over SSH, in order. */
  commands: readonly RanCommand[];
  /** Holds the nth command on `node` whose text matches, counted from now, before it starts. */
  hold: (node: NodeName, pattern: string | RegExp, nth?: number) => Hold;
  containers: (node: NodeName) => PretendContainer[];
  /** How often each container name was ever started on a node to stay, and "engine" for the engine. */
  starts: (node: NodeName) => Record<string, number>;
  /** Where the engine answers, for asking it directly; undefined while it does not listen. */
  engineUrl: () => string | undefined;
  /** Makes something go wrong from now on. */
  inject: (fault: FaultName) => Promise<void>;
  /** 'engine' and 'containers' are a kill -9; 'sshd' refuses from now on; 'connections' drops what is connected. */
  kill: (node: NodeName, what: Killable) => Promise<void>;
  /** After kill(node, 'sshd'): listens again, on the same port. */
  startSshd: (node: NodeName) => Promise<void>;
  /** Ends every process that runs on the machines. */
  stop: () => Promise<void>;
}

const IMAGE = 'hellohal2064/vllm-qwen3.5-gb10:latest';
const USER = 'aurora';
const RDMA = ['rocep1s0f0', 'roceP2p1s0f0'];
const STOP_LIMIT_MS = 5_000;

/** Two SSH servers in this process that stand for two DGX Sparks: spark1 is the head, spark2 is reached through it. */
export async function startPretendSparks(options: PretendSparksOptions): Promise<PretendSparks> {
  const standIns = options.standIns ?? fileURLToPath(new URL('../../../dist/local/sparks/stand-ins', import.meta.url));
  await mustBeBuilt(standIns);
  const { keepInput = false } = options;
  const image = makeImage(options.image?.name ?? IMAGE, options.image);
  const commands: RanCommand[] = [];
  const { hold, pass } = makeHolds();
  const clientKey = makeKey();
  const startNode = async (name: NodeName) => {
    const machine = describe(name, join(options.folder, 'machines', name), image, options.loadSeconds ?? 3);
    return await startPretendSpark({
      machine,
      standIns,
      user: USER,
      clientKey: clientKey.parsed,
      exec: (text, channel) => {
        const command: RanCommand = { node: name, text, at: Date.now() };
        commands.push(command);
        const passing = (inputIsWhole: Promise<void>) => pass(name, text, inputIsWhole);
        void runCommand({ machine, command, channel, pass: passing, keepInput });
      },
    });
  };
  const nodes: Record<NodeName, PretendSpark> = {
    spark1: await startNode('spark1'),
    spark2: await startNode('spark2'),
  };
  const keyFile = join(options.folder, 'id_ed25519');
  await rm(keyFile, { force: true });
  await writeFile(keyFile, clientKey.text, { mode: 0o600 });
  const strangers: { stop: () => Promise<void> }[] = [];

  const inject = async (fault: FaultName) => {
    for (const { machine } of Object.values(nodes)) writeMachine(spoil(readMachine(machine.folder), fault));
    if (fault === 'ssh-refused') await nodes.spark1.server.stop();
    if (fault === 'wrong-host-key') await nodes.spark2.changeHostKey();
    if (fault === 'port-taken') strangers.push(await listenAsStranger(nodes.spark1.machine, 8000));
    if (fault === 'foreign-container') await launchContainers(nodes, image.name);
    if (fault === 'foreign-process') await launchProcess(nodes.spark2);
    if (fault === 'no-program') {
      for (const { machine } of Object.values(nodes)) await rm(join(foldersOf(machine).inside, 'ray'), { force: true });
    }
  };
  for (const fault of options.faults ?? []) await inject(fault);

  return {
    clusterFile: () => clusterFile(nodes, keyFile, options.channels ?? []),
    image: image.name,
    commands,
    hold,
    containers: (name) => containersOn(nodes[name]),
    starts: (name) => startsOn(nodes[name]),
    engineUrl: () => {
      const engine = listeners(nodes.spark1.machine.folder).find((one) => one.kind === 'engine');
      return engine && `http://127.0.0.1:${engine.real}`;
    },
    inject,
    kill: async (name, what) => await killOn(nodes[name], what),
    startSshd: async (name) => await nodes[name].server.start(),
    stop: async () => {
      for (const one of [...Object.values(nodes).map((node) => node.server), ...strangers]) await one.stop();
      await endAll(join(options.folder, 'machines'));
    },
  };
}

/** As launch-cluster.sh leaves them, with a restart policy that somebody has added. Once more: in place of those of before. */
async function launchContainers(nodes: Record<NodeName, PretendSpark>, image: string): Promise<void> {
  const start = async ({ machine }: PretendSpark, words: string) =>
    await runOn(
      machine,
      `docker rm -f vllm_node >/dev/null 2>&1; docker run -d --name vllm_node --restart unless-stopped --network host --ipc=host --gpus all --entrypoint launch ${image} ${words} >/dev/null; ${untilHeld(machine, '*')}`,
    );
  await Promise.all([start(nodes.spark1, '67712 --port 8000'), start(nodes.spark2, '67712')]);
}

async function launchProcess({ machine }: PretendSpark): Promise<void> {
  await runOn(machine, `launch 12288 >/dev/null 2>&1 & ${untilHeld(machine, '$!')}`);
}

/** Until a launch has its GPU memory. */
function untilHeld({ folder }: Machine, pid: string): string {
  return `tick=0; until ls ${folder}/gpu/${pid} >/dev/null 2>&1; do tick=$((tick + 1)); [ $tick -lt 400 ] || exit 1; sleep 0.05; done`;
}

function describe(name: NodeName, folder: string, image: MachineImage, loadSeconds: number): Machine {
  const head = name === 'spark1';
  return {
    name,
    owner: process.pid,
    folder,
    ...(head && { management: { address: '10.1.230.180', interface: 'enP7s7' } }),
    fabric: { address: head ? '192.168.200.12' : '192.168.200.13', interface: 'enp1s0f0np0' },
    containerGpus: 1,
    rayLosesAddress: false,
    images: [image],
    load: 'works',
    loadSeconds,
  };
}

function clusterFile(nodes: Record<NodeName, PretendSpark>, key: string, channels: readonly string[]): ClusterFile {
  const entry = ({ machine, fingerprint }: PretendSpark) => {
    const { models, cache, state } = foldersOf(machine);
    const fabric = { ...machine.fabric, rdma: RDMA };
    return { name: machine.name, fabric, host_key: fingerprint, paths: { models, cache, state } };
  };
  const head = entry(nodes.spark1);
  const worker = entry(nodes.spark2);
  return ClusterFile.parse({
    description: 'two pretend DGX Sparks on this computer',
    channels,
    ssh: { user: USER, key },
    nodes: [
      { ...head, role: 'head', address: '127.0.0.1', port: nodes.spark1.server.port },
      { ...worker, address: worker.fabric.address, via: [head.name] },
    ],
    paths: head.paths,
  });
}

async function mustBeBuilt(standIns: string): Promise<void> {
  await access(join(standIns, 'docker.js')).catch(() => {
    const text = `The pretend machines' programs are not in ${standIns}`;
    throw new OperatorError('config', text, { hint: 'Build first: npm run build.' });
  });
}

/** Every process whose environment names a folder below `machines` was started by a command of ours, or by one of its children. */
async function endAll(machines: string): Promise<void> {
  const limit = performance.now() + STOP_LIMIT_MS;
  for (;;) {
    const left = withEnvironment(`${machines}/`).filter((pid) => pid !== process.pid);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
    if (performance.now() > limit) throw new Error(`Processes of the pretend machines do not end: ${left.join(', ')}`);
    await delay(20);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
