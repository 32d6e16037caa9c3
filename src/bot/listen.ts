import type { App, RespondFn } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import { explain } from '../errors.ts';
import type { Asker, Jobs } from '../jobs/jobs.ts';
import { BUTTONS, typedTwin } from './buttons.ts';
import { plainAnswer } from './cards/answers.ts';
import { DEPLOY_FORM } from './cards/deploy-form.ts';
import { REASON_FORM } from './cards/reason-form.ts';
import { dispatch, type Dispatched, type DispatchOptions } from './dispatch.ts';
import { SLASH } from './grammar.ts';
import { whichCommand } from './parse.ts';
import type { Permissions } from './permissions.ts';
import { formProblems, typedDeploy, type FormValues } from './read-deploy-form.ts';
import { readReasonForm } from './read-reason-form.ts';
import { slackWord } from './slack-problem.ts';
import { within } from '../within.ts';

export interface ListenOptions extends DispatchOptions {
  jobs: DispatchOptions['jobs'] & Pick<Jobs, 'once' | 'find' | 'plan'>;
  permissions: Pick<Permissions, 'standingOf' | 'isAmong'>;
  answers: WebClient;
  /** A person's time zone. */
  zoneOf: (user: string) => Promise<string>;
  now: () => Date;
  log: Logger;
}

interface Asked {
  asker: Asker;
  channel: string;
  /** By the URL that came with it; a form has none. */
  respond?: RespondFn;
  /** Opens a form within 3 s. */
  trigger?: string;
  /** The same for each delivery of the same click or command. */
  key: string;
  text: () => Promise<string | undefined>;
}

/** Slack delivers again for up to an hour. */
const ONCE_MS = 3_600_000;
/** A store that is silent is asked no longer: the answer that says so is due within 2 s. */
const ONCE_LIMIT_MS = 400;
const RESPOND_LIMIT_MS = 10_000;
/** Of the 3 s in which a form must be taken or refused. */
const CHECK_LIMIT_MS = 2_000;

/** The command and the buttons: acknowledged at once, worked on once, answered to who asked. Returns what is still being worked on. */
export function listen(app: App, options: ListenOptions): { working: () => Promise<void> } {
  const working = new Set<Promise<void>>();
  const start = (asked: Asked) => {
    const work = handle(asked, options).finally(() => working.delete(work));
    working.add(work);
  };

  app.command(SLASH, async ({ command, ack, respond }) => {
    start({
      asker: { team: command.team_id, user: command.user_id, name: command.user_name },
      channel: command.channel_id,
      respond,
      key: command.trigger_id,
      trigger: command.trigger_id,
      text: async () => command.text,
    });
    await ack();
  });

  for (const { action } of BUTTONS) {
    app.action({ type: 'block_actions', action_id: action }, async ({ body, payload, ack, respond }) => {
      start({
        asker: { team: teamOf(body), user: body.user.id, name: body.user.username },
        channel: body.channel?.id ?? '',
        respond,
        key: body.trigger_id,
        trigger: body.trigger_id,
        text: () => typedTwin(payload.action_id, 'value' in payload ? payload.value : undefined, options.jobs.find),
      });
      await ack();
    });
  }

  app.view({ type: 'view_submission', callback_id: DEPLOY_FORM }, async ({ body, view, ack }) => {
    const { values } = view.state;
    const problems = await checked(body.user.id, values, options);
    if (Object.keys(problems).length > 0) {
      await ack({ response_action: 'errors', errors: problems });
      return;
    }
    await ack();
    start({
      asker: { team: teamOf(body), user: body.user.id, name: body.user.name },
      channel: view.private_metadata,
      key: view.id,
      text: async () => typedDeploy(values),
    });
  });

  app.view({ type: 'view_submission', callback_id: REASON_FORM }, async ({ body, view, ack }) => {
    await ack();
    const { channel, text } = readReasonForm(view.private_metadata, view.state.values);
    start({
      asker: { team: teamOf(body), user: body.user.id, name: body.user.name },
      channel,
      key: view.id,
      text: async () => text,
    });
  });

  app.error(async (error) => {
    options.log.warn({ err: error }, 'Slack did not take an answer in time');
  });

  return {
    async working() {
      await Promise.all(working);
    },
  };
}

/** Within Slack's 3 s; what can't be checked in time is refused, or not, when it is carried out. */
async function checked(
  user: string,
  values: FormValues,
  { commands, jobs, zoneOf, now, log }: ListenOptions,
): Promise<Record<string, string>> {
  const grammar = whichCommand(commands, 'deploy');
  const problems = zoneOf(user).then((zone) => formProblems(values, { grammar, jobs, now: now(), zone }));
  return (
    (await within(CHECK_LIMIT_MS, problems).catch((error: unknown) => {
      log.error({ err: error, user }, 'A form could not be checked');
    })) ?? {}
  );
}

/** In a shared channel the person may be of another workspace than the one whose app is used. */
function teamOf(body: { user: { team_id?: string }; team?: { id: string } | null }): string {
  return body.user.team_id ?? body.team?.id ?? '';
}

async function handle(asked: Asked, options: ListenOptions): Promise<void> {
  const { jobs, permissions, zoneOf, log } = options;
  const { asker, channel } = asked;
  try {
    // A store that is away must not keep `status` from answering.
    const first = await within(ONCE_LIMIT_MS, jobs.once(`slack-${asked.key}`, ONCE_MS)).catch(() => true);
    if (first === false) return;
    const text = await asked.text();
    if (text === undefined) {
      await answer({ message: plainAnswer(['I no longer know that deployment.']) }, asked, options);
      return;
    }
    const caller = {
      asker,
      channel,
      ...(await permissions.standingOf(asker, channel)),
      isAmong: (names: readonly string[]) => permissions.isAmong(names, asker, channel),
      canOpen: asked.trigger !== undefined,
      zone: () => zoneOf(asker.user),
    };
    const dispatched = await dispatch(text, caller, options);
    if (dispatched.form && (await opened(dispatched.form, asked, options))) return;
    await answer(dispatched, asked, options);
  } catch (error) {
    const { text, hint, ref } = explain(error);
    if (ref !== undefined) log.error({ err: error, ref, user: asker.user }, 'A command broke');
    await answer({ message: plainAnswer([text, hint]) }, asked, options);
  }
}

async function opened(form: ModalView, { trigger, asker }: Asked, { answers, log }: ListenOptions): Promise<boolean> {
  if (trigger === undefined) return false;
  try {
    await answers.views.open({ trigger_id: trigger, view: form });
    return true;
  } catch (error) {
    log.warn({ user: asker.user, why: slackWord(error) }, 'Slack opened no form');
    return false;
  }
}

/** Only who asked sees it, unless it is shared. By the URL that came with the request, or else another way. Never rejects. */
async function answer(
  { message, share = false }: Pick<Dispatched, 'message' | 'share'>,
  { respond, channel, asker }: Asked,
  { answers, log }: ListenOptions,
): Promise<void> {
  try {
    const type = share ? ('in_channel' as const) : ('ephemeral' as const);
    const response =
      respond &&
      (await within(RESPOND_LIMIT_MS, respond({ ...message, response_type: type, replace_original: false })));
    if (response) return;
    if (respond) log.warn({ user: asker.user }, 'Slack took no answer in time by its URL');
  } catch (error) {
    log.warn({ user: asker.user, why: slackWord(error) }, 'Slack took no answer by its URL');
  }
  try {
    if (share) await answers.chat.postMessage({ channel, ...message });
    else await answers.chat.postEphemeral({ channel, user: asker.user, text: message.text });
  } catch (error) {
    log.error({ user: asker.user, channel, why: slackWord(error) }, 'An answer could not be given');
  }
}
