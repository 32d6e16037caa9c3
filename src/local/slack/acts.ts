import { postAsPerson } from './conversation.ts';
import type { Delivery, Parcel } from './delivery.ts';
import { actionOn, findElement, selection, stateOf } from './elements.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import { dropView } from './modals.ts';
import * as payloads from './payloads.ts';
import { BOT, type Channel, type Person } from './people.ts';
import type { ResponseUrls } from './response-urls.ts';
import { createSlashCommands } from './slash-commands.ts';
import { followSubmission } from './submission.ts';
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

export function createActs(options: ActsOptions): Acts {
  const { workspace, responseUrls, deliver, answerIn } = options;
  const typeCommand = createSlashCommands(options);

  async function message(person: Person, channel: Channel, text: string, threadTs?: string): Promise<Said> {
    const linked = text.replace(new RegExp(`@${BOT.name}\\b`, 'g'), `<@${BOT.userId}>`);
    const posted = postAsPerson(workspace, { channel: channel.id, threadTs }, person.id, escapeText(linked));
    if (!linked.includes(`<@${BOT.userId}>`) || !channel.members.has(BOT.userId)) return { message: posted };
    const payload = payloads.mentionPayload(workspace, posted);
    return { message: posted, delivery: await deliver({ kind: 'events_api', payload, acceptsAnswer: false }) };
  }

  return {
    async say(user, channelId, text, { threadTs } = {}) {
      const { person, channel } = presence(workspace, user, channelId);
      const line = text.trim();
      return line.startsWith('/')
        ? typeCommand({ person, channel, line, inThread: threadTs !== undefined })
        : message(person, channel, line, threadTs);
    },
    async click(user, ts, actionId, { blockId, value } = {}) {
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
      if (delivery.status === 'acked') await answerIn(delivery, (ack) => followSubmission(workspace, open, ack));
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
