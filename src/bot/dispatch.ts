import type { Logger } from 'pino';
import { looksSecret } from '../config/looks-secret.ts';
import type { RightsConfig } from '../config/rights.ts';
import { explain, OperatorError } from '../errors.ts';
import type { AuditEntry, Jobs } from '../jobs/jobs.ts';
import { ClusterBusy, ClusterHeld } from '../jobs/refusal.ts';
import { maskSecrets } from '../mask.ts';
import { plainAnswer, refusal } from './cards/answers.ts';
import { busyAnswer } from './cards/busy-answer.ts';
import { heldAnswer } from './cards/hold-card.ts';
import { decidersOf } from './cards/deciders.ts';
import type { Message } from './cards/message.ts';
import { whichCluster } from './cards/which-cluster.ts';
import { changesSomething, type Answer, type Caller, type ChatCommand } from './command.ts';
import { usage } from './grammar.ts';
import { NotAmong } from './not-among.ts';
import { parse, whichCommand } from './parse.ts';
import { lackingRight, noRight, type RightRefusal } from './refuse-right.ts';
import { saidBack } from './said-back.ts';
import { toWords, type Word } from './words.ts';

export interface DispatchOptions {
  commands: readonly ChatCommand[];
  jobs: Pick<Jobs, 'audit' | 'overview'>;
  /** Who is listed with which right, to name them in a refusal. */
  rights: () => Promise<RightsConfig>;
  /** Where people type, for the audit. */
  surface: string;
  log: Logger;
}

export interface Dispatched extends Answer {
  decision: AuditEntry['decision'];
}

/** Runs what was typed and returns what to answer; never rejects. Every decision is audited. */
export async function dispatch(
  text: string,
  caller: Omit<Caller, 'typed'>,
  options: DispatchOptions,
): Promise<Dispatched> {
  let command: ChatCommand | undefined;
  let typed = saidBack(text, 200);
  try {
    if (caller.right === 'none') return notAllowed(noRight(caller), { command, typed, caller, options });
    const words = toWords(text);
    typed = words.map(asTyped).join(' ');
    command = whichCommand(options.commands, words[0]?.text ?? 'help');
    // Secrets and rights come first: who may not do it learns no more of it.
    const lacking = lackingRight(command, caller, await options.rights());
    if (lacking) return notAllowed(lacking, { command, typed, caller, options });
    if (words.length === 1 && command.form && caller.canOpen) {
      const form = await command.form(caller);
      audit(options, entry(caller, typed, 'answered'));
      return { form, message: plainAnswer([`Usage: \`${usage(command)}\``]), decision: 'answered' };
    }
    const answer = await command.run(parse(command, words.slice(1)), { ...caller, typed });
    // A form is a question: what it asks for comes with its answer.
    const decision = changesSomething(command) && !answer.form ? 'accepted' : 'answered';
    audit(options, entry(caller, typed, decision, answer));
    return { ...answer, decision };
  } catch (error) {
    return { message: await refused(error, { command, typed, caller, options }), decision: 'refused' };
  }
}

/** A word for the audit and for answers; one that may be a secret is not kept. */
function asTyped({ text }: Word): string {
  if (text.split('=').some(looksSecret)) return '[masked]';
  return /\s/.test(text) ? `"${text}"` : text;
}

interface Refusal {
  command: ChatCommand | undefined;
  typed: string;
  caller: Omit<Caller, 'typed'>;
  options: DispatchOptions;
}

async function refused(error: unknown, { command, typed, caller, options }: Refusal): Promise<Message> {
  const explanation = explain(error);
  if (explanation.ref !== undefined) {
    options.log.error({ err: error, ref: explanation.ref, user: caller.asker.user }, 'A command broke');
  }
  audit(options, refusedEntry(caller, typed, explanation.text, { command, error }));
  if (error instanceof ClusterBusy) return busyAnswer(error);
  if (error instanceof ClusterHeld) return heldAnswer(error);
  if (error instanceof OperatorError && error.code === 'ambiguous' && command) {
    const all = await options.jobs.overview().catch(() => []);
    const bound = all.filter(({ channels }) => channels.includes(caller.channel));
    const clusters = bound.length > 0 ? bound : all;
    return whichCluster(explanation, { not: command.not, clusters, typed: (cluster) => `${typed} on ${cluster}` });
  }
  const more = error instanceof NotAmong ? await whomToAsk(error, options).catch(() => []) : [];
  return refusal(explanation, { not: command?.not, more });
}

/** Only who asked sees it, so nobody is notified. */
async function whomToAsk({ from }: NotAmong, { rights }: DispatchOptions): Promise<readonly string[]> {
  const names = decidersOf(from, (await rights()).rights);
  return names.length === 0 ? [] : [`They are: ${names.join(', ')}`];
}

function notAllowed({ explanation, more }: RightRefusal, { command, typed, caller, options }: Refusal): Dispatched {
  audit(options, refusedEntry(caller, typed, explanation.text, { command }));
  return { message: refusal(explanation, { not: command?.not, more }), decision: 'refused' };
}

function entry(
  { asker }: Pick<Caller, 'asker'>,
  typed: string,
  decision: AuditEntry['decision'],
  { about, cluster }: Partial<Answer> = {},
): AuditEntry {
  const which = about && { cluster: about.cluster, number: about.number, uid: about.uid };
  return {
    who: asker,
    what: maskSecrets(typed).slice(0, 500),
    ...(cluster !== undefined && { cluster }),
    ...which,
    decision,
    change: decision === 'accepted',
  };
}

/** That it was refused, and of which cluster, as far as that is known. */
function refusedEntry(caller: Pick<Caller, 'asker'>, typed: string, why: string, of: Of): AuditEntry {
  const { command, error } = of;
  const inTheWay = error instanceof ClusterBusy || error instanceof ClusterHeld ? error.cluster : undefined;
  return {
    ...entry(caller, typed, 'refused', inTheWay === undefined ? {} : { cluster: inTheWay }),
    change: command !== undefined && changesSomething(command),
    why: maskSecrets(why),
  };
}

interface Of {
  command: ChatCommand | undefined;
  error?: unknown;
}

/** An audit that fails is logged; it does not change the answer. */
function audit({ jobs, log, surface }: DispatchOptions, line: AuditEntry): void {
  try {
    jobs.audit({ ...line, surface });
  } catch (error) {
    log.error({ err: error }, 'The audit could not be written');
  }
}
