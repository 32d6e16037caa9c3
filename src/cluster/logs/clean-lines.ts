/** A line of an engine's log without what the processes around it added. */
export interface CleanLine {
  text: string;
  /** Address of the node whose process wrote it; undefined: the node where the engine was started. */
  ip?: string;
}

const LINE_END = /\r\n|\n|\r/;
// oxlint-disable-next-line no-control-regex
const ANSI = /\u001B\[[0-9;]*[A-Za-z]/g;
const PREFIX =
  /^\((?:APIServer|ApiServer_\d+|EngineCore(?:_DP\d+)?|RayWorkerWrapper|RayWorkerProc|RayWorkerVllm|Worker(?:_(?:DP|PP|DCP|TP|EP)\d+)*|VllmWorker[^)]*|raylet|autoscaler[^)]*|pid=\d+[^)]*)(?: rank=\d+)?(?: pid=\d+)?(?:, ip=([0-9a-fA-F:.]+))?\) ?/;
const DEDUPED = / \[repeated \d+x across cluster\]| \(Ray deduplicates logs by default\.[^)]*\)/g;
const MAX_LINE = 4_000;

/**
 * Takes a log in pieces, gives its whole lines: split at \r too (a progress bar is a chain of them), colours, prefix
 * chains and Ray's remarks on repeated lines removed, empty ones left out.
 */
export function lineCleaner(): (piece: string) => CleanLine[] {
  let rest = '';
  return (piece) => {
    const parts = (rest + piece).split(LINE_END);
    rest = (parts.pop() ?? '').slice(-MAX_LINE);
    return parts.flatMap((part) => clean(part) ?? []);
  };
}

function clean(raw: string): CleanLine | undefined {
  let text = raw.slice(0, MAX_LINE).replace(ANSI, '');
  let ip: string | undefined;
  for (let prefix = PREFIX.exec(text); prefix; prefix = PREFIX.exec(text)) {
    ip = prefix[1] ?? /\bip=([0-9a-fA-F:.]+)/.exec(prefix[0])?.[1] ?? ip;
    text = text.slice(prefix[0].length);
  }
  text = text.replace(DEDUPED, '').trimEnd();
  if (text.trim() === '') return undefined;
  return ip === undefined ? { text } : { text, ip };
}
