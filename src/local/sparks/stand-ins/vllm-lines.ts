/** The prefixes and records of a vLLM 0.17 log. */

const enginePid = process.pid + 111;

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A record of the API server. */
export function api(place: string, text: string, level = 'INFO'): void {
  say(`(APIServer pid=${process.pid}) ${record(place, text, level)}`);
}

/** A record of the engine's own process. */
export function engine(place: string, text: string, level = 'INFO'): void {
  say(`${engineTag()} ${record(place, text, level)}`);
}

/** A record of the worker of one rank: the first runs on this machine, others say their address. */
export function worker(rank: number, address: string, place: string, text: string, level = 'INFO'): void {
  say(`${engineTag()} ${workerTag(rank, address)} ${record(place, text, level)}`);
}

/** A progress bar of rank 0: the prefix stands alone on the line before it. */
export function bar(text: string): void {
  say(`${engineTag()} ${workerTag(0, '')} \n${text}`);
}

function clock(): string {
  const [date = '', time = ''] = new Date().toISOString().split('T');
  return `${date.slice(5)} ${time.slice(0, 8)}`;
}

export function engineTag(): string {
  return `(EngineCore_DP0 pid=${enginePid})`;
}

export function workerTag(rank: number, address: string): string {
  return rank === 0
    ? `(RayWorkerWrapper pid=${enginePid + 83})`
    : `(RayWorkerWrapper pid=${2_981 + rank}, ip=${address})`;
}

function record(place: string, text: string, level: string): string {
  return `${level} ${clock()} [${place}] ${text}`;
}

export function fail(text: string, exitCode = 1): never {
  say(text);
  process.exit(exitCode);
}
