export interface Fault {
  /** How often; 1 when left out, Infinity for always. */
  times?: number;
  /** Wait first. */
  delayMs?: number;
  /** Answer `{ ok: false, error }`. */
  error?: string;
  /** Answer 429 with this many seconds. */
  retryAfter?: number;
  /** Answer this HTTP status, with no JSON. */
  status?: number;
  /** Do what was asked before answering the fault: the app can't know that it was done. */
  applied?: boolean;
}

export interface Faults {
  /** For a method of the Web API, `response_url`, or `*` for all. */
  add: (method: string, fault: Fault) => void;
  take: (method: string) => Fault | undefined;
  clear: () => void;
}

export function createFaults(): Faults {
  let planned: { method: string; fault: Fault; left: number }[] = [];
  return {
    add: (method, fault) => void planned.push({ method, fault, left: fault.times ?? 1 }),
    take(method) {
      // An answer inside an acknowledgement is no call that could fail.
      const any = method === 'ack' ? [method] : [method, '*'];
      const next = planned.find((plan) => plan.left > 0 && any.includes(plan.method));
      if (next) next.left -= 1;
      return next?.fault;
    },
    clear: () => void (planned = []),
  };
}
