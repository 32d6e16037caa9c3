import type { Deployment } from '../../jobs/deployment.ts';
import { dayTime, person, said } from './mrkdwn.ts';

/** "of @Maya until Dec 1 18:00, eval run" */
export function ownership(
  { owner, by, until, note, createdAt }: Pick<Deployment, 'owner' | 'by' | 'until' | 'note' | 'createdAt'>,
  { withPeople }: { withPeople: boolean },
): string {
  const parts = [
    withPeople
      ? `of ${person((owner ?? by).user)}, asked for ${dayTime(createdAt)}`
      : `asked for ${dayTime(createdAt)}`,
    ...untilAndNote({ until, note }),
  ];
  return parts.join(', ');
}

export function untilAndNote({
  until,
  note,
}: Partial<Record<'until' | 'note', string | undefined>>): readonly string[] {
  return [
    ...(until === undefined ? [] : [`until ${dayTime(until)}`]),
    ...(note === undefined ? [] : [`"${said(note, 200)}"`]),
  ];
}
