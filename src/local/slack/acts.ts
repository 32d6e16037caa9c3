import { postAsPerson, showOnlyTo } from './conversation.ts';
import type { Delivery, Parcel } from './delivery.ts';
import { actionOn, findElement, selection, stateOf } from './elements.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import { dropView, openView, readView, replaceView } from './modals.ts';
import * as payloads from './payloads.ts';
import { BOT, SLACKBOT, type Channel, type Person } from './people.ts';
import { respond, type ResponseUrls } from './response-urls.ts';
import { newTrigger } from './triggers.ts';
import { escapeText } from './validate/as-stored.ts';
import type { OpenView } from './view.ts';
import type { Workspace } from './workspace.ts';

/** What came of a line that a person sent: a message, a command, or both for one that mentions the app. */
export interface Said {
  message?: Message;
  delivery?: Delivery;
}

/** What people can do. Each resolves when the app has acknowledged it, or didn't. */
export interface Acts {
  say: (user: string, channel: string, text: string, options?: { threadTs?: string }) => Promise<Said>;
  click: (
    user: string,
    ts: string,
    actionId: string,
    options?: { blockId?: string; value?: string },
  ) => Promise<Delivery>;
  submitView: (user: string, viewId: string, typed: Record<string, string>) => Promise<Delivery>;
  closeView: (user: string, viewId: string) => Promise<Delivery | undefined>;
}

export interface ActsOptions {
  workspace: Workspace;
  commands: readonly string[];
  responseUrls: ResponseUrls;
  deliver: (parcel: Parcel) => Promise<Delivery>;
  /** Runs what an acknowledgement asks for, under the rules of a request. */
  answerIn: (delivery: Delivery, run: (ack: JsonObject) => void) => Promise<void>;
}

export function createActs({ workspace, commands, responseUrls, deliver, answerIn }: ActsOptions): Acts {
  async function command(person: Person, channel: Channel, line: string, inThread: boolean): Promise<Said> {
    const [name = ''] = line.split(' ');
    const tell = (text: string): void =>
      void showOnlyTo(workspace, { channel: channel.id }, person.id, { text, from: SLACKBOT });
    if (inThread) return (tell(`${name} is not supported in threads. Sorry!`), {});
    if (!commands.includes(name))
      return (
        tell(
          `${name} is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.`,
        ),
        {}
      );
    workspace.feed.tell({ type: 'command', user: person.id, channel: channel.id, text: line });
    const origin = { channel: channel.id, user: person.id };
    const links = { trigger: newTrigger(workspace, person.id), responseUrl: responseUrls.issue('commands', origin) };
    const payload = payloads.commandPayload(person, channel, escapeText(line), links);
    const delivery = await deliver({ kind: 'slash_commands', payload, acceptsAnswer: true });
    const { ack = {} } = delivery;
    if (delivery.status === 'timeout') {
      tell(`${name} failed because the app did not respond. Please try again or contact the app developer.`);
    } else if (delivery.status !== 'acked') tell(`${name} failed with the error "dispatch_failed"`);
    else if (Object.keys(ack).length > 0) await answerIn(delivery, (body) => respond(workspace, origin, body));
    return { delivery };
  }

  async function message(person: Person, channel: Channel, text: string, threadTs?: string): Promise<Said> {
    const linked = text.replace(new RegExp(`@${BOT.name}\\b`, 'g'), `<@${BOT.userId}>`);
    const posted = postAsPerson(workspace, { channel: channel.id, threadTs }, person.id, escapeText(linked));
    if (!linked.includes(`<@${BOT.userId}>`) || !channel.members.has(BOT.userId)) return { message: posted };
    const payload = payloads.mentionPayload(workspace, posted);
    return { message: posted, delivery: await deliver({ kind: 'events_api', payload, acceptsAnswer: false }) };
  }

  return {
    say(user, channelId, text, { threadTs } = {}) {
      const { person, channel } = presence(workspace, user, channelId);
      const line = text.trim();
      return line.startsWith('/')
        ? command(person, channel, line, threadTs !== undefined)
        : message(person, channel, line, threadTs);
    },
    click(user, ts, actionId, { blockId, value } = {}) {
      const shown = seenBy(workspace, user, ts);
      const { person, channel } = presence(workspace, user, shown.channel);
      const found = findElement(shown.blocks ?? [], { actionId, blockId, value });
      if (!found)
        throw new Error(`Message ${ts} has nothing with the action ${actionId}${value ? ` and ${value}` : ''}`);
      const state = { ...workspace.chosen.get(ts) };
      const chosen = selection(found.element, value);
      if (Object.keys(chosen).length > 0) {
        state[found.blockId] = { ...state[found.blockId], [actionId]: { type: found.element['type'], ...chosen } };
        workspace.chosen.set(ts, state);
      }
      const origin = { channel: channel.id, user, message: shown };
      const links = { trigger: newTrigger(workspace, user), responseUrl: responseUrls.issue('actions', origin) };
      const action = actionOn(found, value);
      const payload = payloads.clickPayload(workspace, { person, channel, message: shown, action, state, links });
      return deliver({ kind: 'interactive', payload, acceptsAnswer: false });
    },
    async submitView(user, viewId, typed) {
      const { person, open } = modalOf(workspace, user, viewId);
      open.view.state = { values: stateOf(open.view.blocks, typed) };
      const payload = payloads.submissionPayload(person, structuredClone(open), newTrigger(workspace, user));
      const delivery = await deliver({ kind: 'interactive', payload, acceptsAnswer: true });
      if (delivery.status === 'acked') await answerIn(delivery, (ack) => follow(workspace, open, ack));
      return delivery;
    },
    async closeView(user, viewId) {
      const { person, open } = modalOf(workspace, user, viewId);
      dropView(workspace, open);
      if (!open.view.notify_on_close) return undefined;
      return deliver({ kind: 'interactive', payload: payloads.closedPayload(person, open), acceptsAnswer: false });
    },
  };
}

/** What the answer to a submission does with the modal: without an action it closes. */
function follow(workspace: Workspace, open: OpenView, ack: JsonObject): void {
  switch (ack['response_action']) {
    case 'errors':
      open.errors = Object.fromEntries(
        Object.entries(ack['errors'] ?? {}).map(([blockId, text]) => [blockId, String(text)]),
      );
      workspace.feed.tell({ type: 'view', change: 'updated', view: open });
      return;
    case 'update':
      replaceView(workspace, open, readView(ack['view']));
      return;
    case 'push':
      openView(workspace, open.user, readView(ack['view']), open);
      return;
    default:
      for (const other of workspace.views.values()) {
        const sameStack = other.view.root_view_id === open.view.root_view_id;
        if (other === open || (ack['response_action'] === 'clear' && sameStack)) dropView(workspace, other);
      }
  }
}

function presence(workspace: Workspace, user: string, channelId: string): { person: Person; channel: Channel } {
  const person = workspace.people.get(user);
  const channel = workspace.channels.get(channelId);
  if (!person) throw new Error(`Nobody here has the id ${user}`);
  if (!channel?.members.has(user)) throw new Error(`${person.displayName} is not in ${channel?.name ?? channelId}`);
  return { person, channel };
}

function seenBy(workspace: Workspace, user: string, ts: string): Message {
  const everything = [...workspace.messages, ...workspace.ephemerals];
  const message = everything.find((other) => other.ts === ts && (other.only_for ?? user) === user);
  if (!message) throw new Error(`${user} sees no message ${ts}`);
  return message;
}

function modalOf(workspace: Workspace, user: string, viewId: string): { person: Person; open: OpenView } {
  const open = workspace.views.get(viewId);
  const person = workspace.people.get(user);
  if (!open || !person || open.user !== user) throw new Error(`${user} sees no modal ${viewId}`);
  return { person, open };
}
