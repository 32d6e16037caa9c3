import type { Deployment } from '../jobs/deployment.ts';

/** A button does what its typed twin does, with the rights that this needs. */
export interface ButtonKind {
  /** What Slack calls it: the action_id; a pattern where a message has several. */
  action: string | RegExp;
  /** What people read on it; its beginning, where more follows. */
  label: string;
  /** The command that it is. Left out: the one that its value begins with. */
  twin?: string;
  /** What its value holds: the uid of the deployment that is meant, and words to follow its number; or the whole command in words. */
  holds: 'uid' | 'words';
}

/** Every button of every card. */
export const BUTTONS = [
  { action: 'cancel', label: 'Cancel', twin: 'cancel', holds: 'uid' },
  { action: 'logs', label: 'Logs', twin: 'logs', holds: 'uid' },
  { action: 'retry', label: 'Retry', twin: 'retry', holds: 'uid' },
  { action: 'approve', label: 'Approve', twin: 'approve', holds: 'uid' },
  { action: 'when-idle', label: 'When idle', twin: 'approve', holds: 'uid' },
  { action: 'deny', label: 'Deny', twin: 'deny', holds: 'uid' },
  { action: 'object', label: 'Object', twin: 'object', holds: 'uid' },
  { action: 'withdraw', label: 'Withdraw', twin: 'withdraw', holds: 'uid' },
  { action: 'stop-now', label: 'Stop now', twin: 'stop-now', holds: 'uid' },
  { action: 'bring-back', label: 'Bring back', twin: 'rollback', holds: 'words' },
  { action: 'again', label: 'Ask again', holds: 'words' },
  { action: 'say', label: 'Share here', twin: 'status', holds: 'words' },
  { action: 'older', label: 'Older', twin: 'history', holds: 'words' },
  { action: 'extend-hold', label: 'Extend 1 h', twin: 'hold', holds: 'words' },
  { action: 'release-hold', label: 'Release', twin: 'unlock', holds: 'words' },
  { action: 'extend-freeze', label: 'Extend 1 h', twin: 'freeze', holds: 'words' },
  { action: 'release-freeze', label: 'Unfreeze', twin: 'unfreeze', holds: 'words' },
  // A status may tell of several launches.
  { action: /^mine-\d+$/, label: "It's mine", twin: 'mine', holds: 'words' },
  { action: /^stop-foreign-\d+$/, label: 'Ask to stop it', twin: 'stop-foreign', holds: 'words' },
  // Slack wants each button of a message to have an id of its own.
  { action: /^say-\d+$/, label: 'a cluster, where several are possible', holds: 'words' },
] as const satisfies readonly ButtonKind[];

/** What a card may call its buttons. */
export type ActionId =
  | Extract<(typeof BUTTONS)[number]['action'], string>
  | `${'say' | 'mine' | 'stop-foreign'}-${number}`;

export function buttonCalled(action: string): ButtonKind | undefined {
  const all: readonly ButtonKind[] = BUTTONS;
  return all.find((button) =>
    typeof button.action === 'string' ? button.action === action : button.action.test(action),
  );
}

/** What would be typed for it; undefined when its deployment is no longer known, or its value is not of this kind. */
export async function typedTwin(
  action: string,
  value: unknown,
  find: (uid: string) => Promise<Pick<Deployment, 'number'> | undefined>,
): Promise<string | undefined> {
  const button = buttonCalled(action);
  if (!button || typeof value !== 'string') return undefined;
  const { twin } = button;
  if (button.holds === 'words') return twin === undefined || firstWord(value) === twin ? value : undefined;
  const [uid = '', ...more] = value.split(' ');
  const record = await find(uid);
  return record && twin !== undefined ? [twin, record.number, ...more].join(' ') : undefined;
}

function firstWord(text: string): string | undefined {
  return text.trim().split(/\s+/)[0];
}
