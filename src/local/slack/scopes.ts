/** What the app's manifest asks for. */
export const ALL_SCOPES: readonly string[] = [
  'commands',
  'chat:write',
  'files:write',
  'users:read',
  'usergroups:read',
  'channels:history',
  'groups:history',
];

const PRIVATE: Record<string, string> = { 'channels:history': 'groups:history' };
const NEEDED: Record<string, string> = {
  'chat.delete': 'chat:write',
  'chat.postEphemeral': 'chat:write',
  'chat.postMessage': 'chat:write',
  'chat.update': 'chat:write',
  'conversations.history': 'channels:history',
  'conversations.info': 'channels:read',
  'conversations.open': 'im:write',
  'conversations.replies': 'channels:history',
  'files.completeUploadExternal': 'files:write',
  'files.getUploadURLExternal': 'files:write',
  'reactions.add': 'reactions:write',
  'usergroups.list': 'usergroups:read',
  'usergroups.users.list': 'usergroups:read',
  'users.info': 'users:read',
};

/** The scope that a method lacks; undefined when it may. */
export function missingScope(method: string, isPrivate: boolean, scopes: readonly string[]): string | undefined {
  const named = NEEDED[method];
  const needed = named && isPrivate ? (PRIVATE[named] ?? named) : named;
  return needed === undefined || scopes.includes(needed) ? undefined : needed;
}
