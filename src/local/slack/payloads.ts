import type { JsonObject } from './json.ts';
import { onTheWire } from './conversation.ts';
import type { Message } from './message.ts';
import { APP_ID, BOT, TEAM, type Channel, type Person } from './people.ts';
import type { OpenView, Values } from './view.ts';
import type { Workspace } from './workspace.ts';

const TOKEN = 'verification-token';

export interface Links {
  trigger: string;
  responseUrl: string;
}

export function commandPayload(person: Person, channel: Channel, line: string, links: Links): JsonObject {
  const [command = '', ...words] = line.split(' ');
  const names = { public: channel.name, private: 'privategroup', dm: 'directmessage' };
  return {
    token: TOKEN,
    team_id: (person.team ?? TEAM).id,
    team_domain: (person.team ?? TEAM).domain,
    channel_id: channel.id,
    channel_name: names[channel.kind],
    user_id: person.id,
    user_name: person.name,
    command,
    text: words.join(' ').trim(),
    api_app_id: APP_ID,
    is_enterprise_install: 'false',
    response_url: links.responseUrl,
    trigger_id: links.trigger,
  };
}

export interface Click {
  person: Person;
  channel: Channel;
  message: Message;
  action: JsonObject;
  state: Values;
  links: Links;
}

/** For an ephemeral message Slack leaves the message out. */
export function clickPayload(workspace: Workspace, click: Click): JsonObject {
  const { person, channel, message, links } = click;
  const ephemeral = message.only_for !== undefined;
  return {
    ...interaction('block_actions', person, links.trigger),
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: ephemeral,
      ...(message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts }),
    },
    channel: { id: channel.id, name: channel.kind === 'dm' ? 'directmessage' : channel.name },
    ...(ephemeral ? {} : { message: onTheWire(workspace, message, { metadata: true }) }),
    state: { values: click.state },
    response_url: links.responseUrl,
    actions: [{ ...click.action, action_ts: workspace.clock.ts() }],
  };
}

export function submissionPayload(person: Person, { view }: OpenView, trigger: string): JsonObject {
  return { ...interaction('view_submission', person, trigger), view, response_urls: [] };
}

export function closedPayload(person: Person, { view }: OpenView): JsonObject {
  const { trigger_id: _none, ...rest } = interaction('view_closed', person, '');
  return { ...rest, view, is_cleared: false };
}

export function mentionPayload(workspace: Workspace, message: Message): JsonObject {
  const { channel, ts, user, text, thread_ts: threadTs } = message;
  return {
    token: TOKEN,
    team_id: TEAM.id,
    api_app_id: APP_ID,
    type: 'event_callback',
    event_id: `Ev${ts.replace('.', '')}`,
    event_time: Math.floor(workspace.clock.now() / 1000),
    event_context: 'local',
    is_ext_shared_channel: false,
    authorizations: [
      { enterprise_id: null, team_id: TEAM.id, user_id: BOT.userId, is_bot: true, is_enterprise_install: false },
    ],
    event: {
      type: 'app_mention',
      channel,
      user,
      text,
      ts,
      event_ts: ts,
      team: TEAM.id,
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    },
  };
}

function interaction(type: string, person: Person, trigger: string): JsonObject {
  return {
    type,
    user: { id: person.id, username: person.name, name: person.name, team_id: (person.team ?? TEAM).id },
    api_app_id: APP_ID,
    token: TOKEN,
    trigger_id: trigger,
    team: { id: TEAM.id, domain: TEAM.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}
