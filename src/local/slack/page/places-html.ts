import { BOT } from '../people.ts';
import { channelName, displayName, openDirectMessages, type Workspace } from '../workspace.ts';
import { escapeHtml } from './html.ts';
import { addressOf, type LookingAt } from './looking-at.ts';
import { avatarHtml } from './message-html.ts';

/** Where one can go, and whom one can be. */
export function placesHtml(workspace: Workspace, at: LookingAt): string {
  const direct = openDirectMessages(workspace, at.user);
  const rooms = [...workspace.channels.values()].filter(({ kind, members }) => kind !== 'dm' && members.has(at.user));
  const channels = rooms.map(({ id, archived }) => {
    return placeLink(
      at,
      { ...at, channel: id },
      escapeHtml(placeName(workspace, id)) + (archived ? ' (archived)' : ''),
    );
  });
  const people = [...workspace.people.values()].map(({ id, displayName: name, team, guest }) => {
    const channel = at.channel === direct.id ? '' : at.channel;
    const target = { user: id, channel: channel || (rooms[0]?.id ?? ''), thread: at.thread };
    const current = id === at.user ? ' aria-current="true"' : '';
    const kind = guest ? 'guest' : team && `of ${escapeHtml(team.domain)}`;
    const badge = kind ? ` <span class="badge">${kind}</span>` : '';
    return `<li><a href="${addressOf(target)}"${current}>${avatarHtml(workspace, id)} ${escapeHtml(name)}${badge}</a></li>`;
  });
  const app = `${avatarHtml(workspace, BOT.userId)} ${BOT.name} <span class="badge">APP</span>`;
  return (
    `<nav aria-label="Channels"><h2>Channels</h2><ul>${channels.join('')}</ul></nav>` +
    `<nav aria-label="Direct messages"><h2>Direct messages</h2><ul>${placeLink(at, { ...at, channel: direct.id }, app)}</ul></nav>` +
    `<nav aria-label="You are"><h2>You are</h2><ul>${people.join('')}</ul></nav>`
  );
}

/** Who is in the channel, and whether the app can hear it. */
export function headHtml(workspace: Workspace, { user, channel }: LookingAt, sockets: number): string {
  const members = workspace.channels.get(channel)?.members ?? new Set();
  const connected = sockets === 0 ? 'has no socket open' : 'is connected';
  const app = members.has(BOT.userId) ? `${BOT.name} ${connected}` : `${BOT.name} is not in this channel`;
  const state = members.has(BOT.userId) && sockets > 0 ? 'on' : 'off';
  return `<span class="dot ${state}" aria-hidden="true"></span> ${app}<span class="me">, you are ${escapeHtml(displayName(workspace, user))}</span>`;
}

export function placeName(workspace: Workspace, channel: string): string {
  return workspace.channels.get(channel)?.kind === 'dm' ? BOT.name : `#${channelName(workspace, channel)}`;
}

function placeLink(at: LookingAt, target: LookingAt, label: string): string {
  const current = target.channel === at.channel ? ' aria-current="page"' : '';
  return `<li><a href="${addressOf({ ...target, thread: undefined })}"${current}>${label}</a></li>`;
}
