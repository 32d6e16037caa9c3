import type { Problem } from './config.ts';
import { type Say, sayInto } from './recipe/say.ts';
import { valueAt } from './repair.ts';
import { EVERYONE, RIGHTS } from './rights.ts';
import type { SparkopsFile } from './sparkops-file.ts';
import type { YamlFile } from './yaml-file.ts';

/** What the schema can't see in rights and channel_caps. */
export function checkRights({ rights, channel_caps }: SparkopsFile, yaml: YamlFile): Problem[] {
  const problems: Problem[] = [];
  const say = sayInto(problems, yaml);
  for (const right of RIGHTS.filter((each) => each !== 'viewer')) {
    const at = rights[right].indexOf(EVERYONE);
    if (at === -1) continue;
    const fix = 'Name people or user groups: everyone may only be a viewer';
    say(['rights', right, at], `rights.${right} has everyone`, fix);
  }
  for (const channel of Object.keys(channel_caps)) checkChannel(channel, say);
  return problems;
}

function checkChannel(channel: string, say: Say): void {
  if (/^[CGD][A-Z0-9]+$/.test(channel)) return;
  say(
    ['channel_caps', channel],
    `channel_caps has ${JSON.stringify(channel)}`,
    'Name a channel by its id, such as C0PUBLIC001',
  );
}

/** The list that rights replaced: one problem that says what to write, and the file without it. */
export function withoutOperators(yaml: YamlFile): { yaml: YamlFile; problems: Problem[] } {
  const listed = valueAt(yaml.value, ['operators']);
  if (listed === undefined) return { yaml, problems: [] };
  const problems: Problem[] = [];
  const names = Array.isArray(listed) ? listed.filter((name) => typeof name === 'string').join(', ') : '';
  sayInto(problems, yaml)(
    ['operators'],
    'There is no key "operators" any more',
    `Write rights: { viewer: [${EVERYONE}], operator: [${names}] }, and name an approver and an admin too`,
  );
  const { operators: _operators, ...rest } = Object(yaml.value);
  return { yaml: { ...yaml, value: rest }, problems };
}
