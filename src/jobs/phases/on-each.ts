import { type ErrorCode, OperatorError } from '../../errors.ts';

/** What may pass by itself: the phase looks again. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['unreachable', 'outcome-unknown', 'lock-busy']);

/** On all at once, each to its end. What failed on several nodes is one error that names each. */
export async function onEach<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const settled = await Promise.allSettled(all.map(work));
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (failures.length > 0) throw oneOf(failures);
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

function oneOf(failures: readonly unknown[]): unknown {
  const foreseen = failures.filter((each) => each instanceof OperatorError);
  const bug = failures.find((each) => !(each instanceof OperatorError));
  const decisive = foreseen.find(({ code }) => code === 'stale-fence');
  if (bug !== undefined || decisive) return decisive ?? bug;
  const lasting = foreseen.filter(({ code }) => !PASSING.has(code));
  const told = lasting.length > 0 ? lasting : foreseen;
  const [first, ...others] = told;
  if (!first || others.length === 0) return first;
  return new OperatorError(first.code, told.map(({ message }) => message).join(' '), {
    hint: [...new Set(told.map(({ hint }) => hint))].join(' '),
    lines: told.flatMap(({ lines, node }) => lines.slice(-5).map((line) => `${node ?? ''}: ${line}`)).slice(0, 15),
    cause: first,
    ...(first.short !== undefined && { short: first.short }),
  });
}
