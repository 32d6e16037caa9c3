import type { Notice } from '../../jobs/notices.ts';
import { button } from './button.ts';
import { endingMessage, heldMessage, releasedMessage } from './hold-card.ts';
import { actions, fitting, section, type Message } from './message.ts';
import { person, said } from './mrkdwn.ts';

/** What is posted for a notice; undefined: it has become untrue, and nobody needs to be told. */
export function noticeMessage({ body, mention }: Notice, now: Date): Message | undefined {
  switch (body.kind) {
    case 'hold':
      return heldMessage(body);
    case 'hold-ends':
      return now.getTime() < Date.parse(body.hold.until) ? endingMessage(body, now) : undefined;
    case 'hold-ended':
      return releasedMessage(body, body.by);
    case 'said': {
      const [first = '', ...rest] = body.lines.map((line) => said(line, 600));
      const text = [[first, ...mention.map(({ user }) => person(user))].join(' '), ...rest].join('\n');
      const buttons = (body.buttons ?? []).map(({ label, typed }, at) =>
        button({ action: `say-${at}`, text: label, value: typed }),
      );
      return fitting(() => ({
        text,
        blocks: [section(text), ...(buttons.length > 0 ? [actions(buttons)] : [])],
      }));
    }
  }
}
