import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../json.ts';
import { APP_ID, BOT, TEAM } from '../people.ts';
import { Refusal } from '../refusal.ts';
import { validateBlocks } from '../validate/validate-blocks.ts';
import { validateView } from '../validate/validate-view.ts';
import { channelFor, messageAt } from '../workspace.ts';
import { defineMethod } from './method.ts';

const TICKET_LIFE_MS = 30_000;

export const authTest = defineMethod(z.object({}), () => ({
  url: `https://${TEAM.domain}.slack.com/`,
  team: TEAM.name,
  user: BOT.name,
  team_id: TEAM.id,
  user_id: BOT.userId,
  bot_id: BOT.botId,
  is_enterprise_install: false,
}));

export const openConnection = defineMethod(z.object({}), (_args, workspace) => {
  const ticket = randomUUID();
  workspace.tickets.set(ticket, workspace.clock.now() + TICKET_LIFE_MS);
  return { url: `${workspace.baseUrl.replace('http', 'ws')}/link/?ticket=${ticket}&app_id=${APP_ID}` };
});

export const userInfo = defineMethod(z.object({ user: z.string() }), (args, workspace) => {
  const person = workspace.people.get(args.user);
  if (!person) throw new Refusal('user_not_found');
  const { id, name, displayName, team = TEAM, guest = false } = person;
  const profile = { real_name: displayName, display_name: displayName };
  const tz = workspace.timeZone;
  const known = { id, name, real_name: displayName, profile, team_id: team.id, deleted: false, is_bot: false };
  // Of people of other workspaces Slack tells less.
  if (team !== TEAM) return { user: { ...known, is_stranger: true } };
  return { user: { ...known, tz, is_restricted: guest, is_ultra_restricted: false } };
});

export const addReaction = defineMethod(
  z.object({ channel: z.string(), timestamp: z.string(), name: z.string().min(1) }),
  (args, workspace) => {
    const channel = channelFor(workspace, args.channel);
    const message = messageAt(workspace, channel.id, args.timestamp);
    if (!message) throw new Refusal('message_not_found');
    const reactions = (message.reactions ??= []);
    const known = reactions.find((reaction) => reaction.name === args.name);
    if (known?.users.includes(BOT.userId)) throw new Refusal('already_reacted');
    if (known) known.count = known.users.push(BOT.userId);
    else reactions.push({ name: args.name, users: [BOT.userId], count: 1 });
    workspace.feed.tell({ type: 'edited', message });
    return {};
  },
);

export const validate = defineMethod(
  z.object({ blocks: z.unknown().optional(), message: z.unknown().optional(), view: z.unknown().optional() }),
  ({ blocks, message, view }) => {
    const problems =
      view === undefined
        ? validateBlocks(blocks ?? (isObject(message) ? message['blocks'] : undefined), '')
        : validateView(view, '');
    if (problems.length > 0) throw new Refusal('invalid_blocks', problems);
    return {};
  },
);
