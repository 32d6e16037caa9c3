import type { ActsOptions, Said } from './acts.ts';
import { showOnlyTo } from './conversation.ts';
import { commandPayload } from './payloads.ts';
import { SLACKBOT, type Channel, type Person } from './people.ts';
import { respond } from './response-urls.ts';
import { newTrigger } from './triggers.ts';
import { escapeText } from './validate/as-stored.ts';

export interface TypedCommand {
  person: Person;
  channel: Channel;
  line: string;
  inThread: boolean;
}

/** What Slack does with a line that starts with `/`. */
export function createSlashCommands({ workspace, commands, responseUrls, deliver, answerIn }: ActsOptions) {
  return async function type({ person, channel, line, inThread }: TypedCommand): Promise<Said> {
    const [name = ''] = line.split(' ');
    const refusal = refusedBySlack(name, inThread);
    const tell = (text: string): void => {
      showOnlyTo(workspace, { channel: channel.id }, person.id, { text, from: SLACKBOT });
    };
    if (refusal !== undefined) {
      tell(refusal);
      return {};
    }
    workspace.feed.tell({ type: 'command', user: person.id, channel: channel.id, text: line });
    const origin = { channel: channel.id, user: person.id };
    const links = { trigger: newTrigger(workspace, person.id), responseUrl: responseUrls.issue('commands', origin) };
    const payload = commandPayload(person, channel, escapeText(line), links);
    const delivery = await deliver({ kind: 'slash_commands', payload, acceptsAnswer: true });
    if (delivery.status === 'acked') {
      const answers = Object.keys(delivery.ack ?? {}).length > 0;
      if (answers) await answerIn(delivery, (body) => respond(workspace, origin, body));
    } else if (delivery.status === 'timeout') {
      tell(`${name} failed because the app did not respond. Please try again or contact the app developer.`);
    } else {
      tell(`${name} failed with the error "dispatch_failed"`);
    }
    return { delivery };
  };

  function refusedBySlack(name: string, inThread: boolean): string | undefined {
    if (inThread) return `${name} is not supported in threads. Sorry!`;
    if (commands.includes(name)) return undefined;
    return `${name} is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.`;
  }
}
