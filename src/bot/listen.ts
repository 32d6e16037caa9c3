import type { App, RespondFn } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import { explain } from '../errors.ts';
import type { Asker, Jobs } from '../jobs/jobs.ts';
import { plainAnswer } from './cards/answers.ts';
import { CANCEL_ACTION, LOGS_ACTION } from './cards/deployment-card.ts';
import type { Message } from './cards/message.ts';
import { dispatch, type DispatchOptions } from './dispatch.ts';
import { SLASH } from './grammar.ts';
import { slackWord } from './slack-problem.ts';
import { within } from './within.ts';

export interface ListenOptions extends DispatchOptions {
  jobs: DispatchOptions['jobs'] & Pick<Jobs, 'once' | 'find'>;
  mayChange: (user: string) => boolean;
  answers: WebClient;
  log: Logger;
}

interface Asked {
  asker: Asker;
  channel: string;
  respond: RespondFn;
  /** The same for each delivery of the same click or command. */
  key: string;
  text: () => Promise<string | undefined>;
}

/** Slack delivers again for up to an hour. */
const ONCE_MS = 3_600_000;
/** A store that is silent is asked no longer: the answer that says so is due within 2 s. */
const ONCE_LIMIT_MS = 400;
const RESPOND_LIMIT_MS = 10_000;

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
      text: async () => command.text,
    });
    await ack();
  });

  for (const action of [CANCEL_ACTION, LOGS_ACTION]) {
    app.action({ type: 'block_actions', action_id: action }, async ({ body, payload, ack, respond }) => {
      start({
        asker: { team: body.team?.id ?? body.user.team_id ?? '', user: body.user.id, name: body.user.username },
        channel: body.channel?.id ?? '',
        respond,
        key: body.trigger_id,
        text: () => typedTwin(action, 'value' in payload ? payload.value : undefined, options.jobs),
      });
      await ack();
    });
  }

  app.error(async (error) => {
    options.log.warn({ err: error }, 'Slack did not take an answer in time');
  });

  return {
    async working() {
      await Promise.all(working);
    },
  };
}

/** A button does what its typed twin does. */
async function typedTwin(action: string, uid: unknown, jobs: Pick<Jobs, 'find'>): Promise<string | undefined> {
  const record = typeof uid === 'string' ? await jobs.find(uid) : undefined;
  return record && `${action} ${record.number}`;
}

async function handle(asked: Asked, options: ListenOptions): Promise<void> {
  const { jobs, mayChange, log } = options;
  const { asker, channel } = asked;
  try {
    // A store that is away must not keep `status` from answering.
    const first = await within(ONCE_LIMIT_MS, jobs.once(`slack-${asked.key}`, ONCE_MS)).catch(() => true);
    if (first === false) return;
    const text = await asked.text();
    const message =
      text === undefined
        ? plainAnswer(['I no longer know that deployment.'])
        : await dispatch(text, { asker, channel, mayChange: mayChange(asker.user) }, options);
    await answer(message, asked, options);
  } catch (error) {
    const { text, hint, ref } = explain(error);
    if (ref !== undefined) log.error({ err: error, ref, user: asker.user }, 'A command broke');
    await answer(plainAnswer([text, hint]), asked, options);
  }
}

/** Only who asked sees it. By the URL that came with the request, or else as a plain ephemeral message. Never rejects. */
async function answer(
  message: Message,
  { respond, channel, asker }: Asked,
  { answers, log }: ListenOptions,
): Promise<void> {
  try {
    const content = { ...message, response_type: 'ephemeral' as const, replace_original: false };
    const response = await within(RESPOND_LIMIT_MS, respond(content));
    if (response) return;
    log.warn({ user: asker.user }, 'Slack took no answer in time by its URL');
  } catch (error) {
    log.warn({ user: asker.user, why: slackWord(error) }, 'Slack took no answer by its URL');
  }
  try {
    await answers.chat.postEphemeral({ channel, user: asker.user, text: message.text });
  } catch (error) {
    log.error({ user: asker.user, channel, why: slackWord(error) }, 'An answer could not be given');
  }
}
