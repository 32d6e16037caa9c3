// oxlint-disable-next-line no-control-regex
const ANSI = /\u001B\[[0-9;]*[A-Za-z]/g;
const PREFIX =
  /^\((?:APIServer|ApiServer_\d+|EngineCore(?:_DP\d+)?|RayWorkerWrapper|RayWorkerProc|RayWorkerVllm|Worker(?:_(?:DP|PP|DCP|TP|EP)\d+)*|VllmWorker[^)]*|raylet|autoscaler[^)]*|pid=\d+[^)]*)(?: rank=\d+)?(?: pid=\d+)?(?:, ip=([0-9a-fA-F:.]+))?\) ?/;

/** A line without colours and without the chain of prefixes of the processes around the engine; `ip` is of the last that names one. */
export function withoutPrefixes(raw: string): { text: string; ip?: string } {
  let text = raw.replace(ANSI, '');
  let ip: string | undefined;
  for (let prefix = PREFIX.exec(text); prefix; prefix = PREFIX.exec(text)) {
    ip = prefix[1] ?? /\bip=([0-9a-fA-F:.]+)/.exec(prefix[0])?.[1] ?? ip;
    text = text.slice(prefix[0].length);
  }
  return ip === undefined ? { text } : { text, ip };
}
