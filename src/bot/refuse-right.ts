import { includes, type Right, type RightsConfig } from '../config/rights.ts';
import type { Explanation } from '../errors.ts';
import { listedWith, mention } from './cards/deciders.ts';
import { said } from './cards/mrkdwn.ts';
import type { Caller, ChatCommand } from './command.ts';

/** Why somebody may not do it, and in lines of mrkdwn who may. */
export interface RightRefusal {
  explanation: Explanation;
  more: readonly string[];
}

type Who = Pick<Caller, 'right' | 'unsure' | 'channel'>;

const MOST_NAMES = 5;

/** Who has no right at all hears this and nothing else, whatever was typed. */
export function noRight({ unsure }: Pick<Who, 'unsure'>): RightRefusal {
  const text = 'You have no right here: who runs sparkops may list you under rights in sparkops.yaml.';
  return { explanation: { text, hint: '', lines: [] }, more: unsure === undefined ? [] : [said(unsure)] };
}

/** Undefined when the caller may. */
export function lackingRight(
  { name, right: needed }: Pick<ChatCommand, 'name' | 'right'>,
  { right, unsure, channel }: Who,
  { rights, channel_caps }: RightsConfig,
): RightRefusal | undefined {
  if (includes(right, needed)) return undefined;
  const cap = channel_caps[channel];
  if (cap !== undefined && !includes(cap, needed)) {
    const text = `Nobody may ${name} in this channel.`;
    const hint = `channel_caps in sparkops.yaml allows ${cap} at most here. Type it in another channel.`;
    return { explanation: { text, hint, lines: [] }, more: [] };
  }
  const text = `Only ${needed}s may ${name}.`;
  const hint = `Ask one to do it, or to have you listed as ${needed} under rights in sparkops.yaml.`;
  const doubt = unsure === undefined ? [] : [said(unsure)];
  return { explanation: { text, hint, lines: [] }, more: [...doubt, ...whoMay(needed, rights)] };
}

/** Those who are listed with it, or else with the next higher right. */
function whoMay(needed: Right, rights: RightsConfig['rights']): readonly string[] {
  const listed = listedWith(needed, rights);
  if (!listed) return [];
  // Only who asked sees it, so nobody is notified.
  const names = listed.names.slice(0, MOST_NAMES).map(mention);
  return [`${listed.right.slice(0, 1).toUpperCase()}${listed.right.slice(1)}s: ${names.join(', ')}`];
}
