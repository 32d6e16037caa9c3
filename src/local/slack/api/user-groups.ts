import { z } from 'zod';
import { TEAM } from '../people.ts';
import { Refusal } from '../refusal.ts';
import { defineMethod, flag } from './method.ts';

export const list = defineMethod(z.object({ include_users: flag, include_count: flag }), (args, workspace) => ({
  usergroups: [...workspace.userGroups.values()].map(({ id, handle, name, users }) => ({
    id,
    team_id: TEAM.id,
    is_usergroup: true,
    handle,
    name,
    is_external: false,
    date_delete: 0,
    ...(args.include_users && { users }),
    ...(args.include_count && { user_count: users.length }),
  })),
}));

export const users = defineMethod(z.object({ usergroup: z.string() }), (args, workspace) => {
  const group = workspace.userGroups.get(args.usergroup);
  if (!group) throw new Refusal('no_such_subteam');
  return { users: group.users };
});
