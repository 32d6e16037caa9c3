import type { Progress } from '../finding.ts';

/** How a line enters a stage, or moves in one. */
interface Mark {
  stage: string;
  pattern: RegExp;
}

const BAR = String.raw`\s*(?<percent>\d+)%(?: Completed)? ?\|[^|]*?\|? ?(?<done>\d+)\/(?<total>\d+)(?: \[[\d:]+<(?<left>[\d:]+))?`;

/** In the order of a start of vLLM. The stage is a word for people. */
const MARKS: readonly Mark[] = [
  { stage: 'starting', pattern: /█ +version \d|vLLM API server version|^INFO .*non-default args/ },
  { stage: 'config', pattern: /Resolved architecture: \w+|Using max model len \d+/ },
  { stage: 'engine', pattern: /Initializing (?:a V1|a V0|an) LLM engine/ },
  { stage: 'ray', pattern: /Connecting to existing Ray cluster at address|Creating a new placement group/ },
  {
    stage: 'network',
    pattern: /world_size=\d+ rank=\d+ .*distributed_init_method=|rank \d+ in world size \d+ is assigned/,
  },
  { stage: 'weights', pattern: /Starting to load model |Loading drafter model/ },
  { stage: 'weights', pattern: new RegExp(String.raw`(?:Loading|loading) [\w .-]*(?:shards|loader|Streamer):${BAR}`) },
  { stage: 'weights', pattern: /Loading weights took|Model loading took|Time spent downloading weights/ },
  {
    stage: 'compile',
    pattern: /for vLLM's torch\.compile|Dynamo bytecode transform time|torch\.compile take|torch\.compile took/,
  },
  { stage: 'compile', pattern: /Compiling a graph for|Cache the graph of|Directly load the compiled graph/ },
  {
    stage: 'memory',
    pattern:
      /Available KV cache memory|GPU KV cache size|Maximum concurrency for|profiling\/warmup run took|Profiling CUDA graph memory/,
  },
  {
    stage: 'warm-up',
    pattern: new RegExp(String.raw`[Aa]uto[Tt]uner.*Tuning .*:${BAR}|Autotuning process (?:starts|ends)`),
  },
  { stage: 'graphs', pattern: new RegExp(String.raw`Capturing CUDA graph[^:]*:${BAR}`) },
  { stage: 'graphs', pattern: /Graph capturing finished|init engine .*took/ },
  { stage: 'api', pattern: /Starting vLLM (?:API )?server|Application startup complete/ },
];

/** A bar of a kind that is not known yet still shows that something moves. */
const OTHER_BAR = new RegExp(BAR);

export function isProgressBar(line: string): boolean {
  return OTHER_BAR.test(line);
}

export interface ProgressReader {
  /** Takes a cleaned line. True when it shows that the start went on: only that ends a silence. */
  take: (line: string) => boolean;
  current: () => Progress;
}

export function progressReader(): ProgressReader {
  let current: Progress = { stage: 'starting' };
  let last = '';

  function take(line: string): boolean {
    const mark = MARKS.find(({ pattern }) => pattern.test(line));
    const groups = (mark?.pattern ?? OTHER_BAR).exec(line)?.groups;
    if (!mark && !groups) return false;
    const next = { stage: mark?.stage ?? current.stage, ...barOf(groups) };
    // The last state of a bar is printed twice, and another rank repeats what the first has said.
    const now =
      next.total === undefined ? line.replace(/\d\d:\d\d:\d\d/, '') : JSON.stringify({ ...next, secondsLeft: 0 });
    if (now === last) return false;
    last = now;
    current = next.total === undefined && next.stage === current.stage ? current : next;
    return true;
  }

  return { take, current: () => current };
}

function barOf(groups: Record<string, string | undefined> | undefined): Partial<Progress> {
  if (groups?.['total'] === undefined) return {};
  const left = groups['left'];
  return {
    percent: Number(groups['percent']),
    done: Number(groups['done']),
    total: Number(groups['total']),
    ...(left !== undefined && { secondsLeft: secondsOf(left) }),
  };
}

/** "05:57" or "1:05:57". */
function secondsOf(clock: string): number {
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
