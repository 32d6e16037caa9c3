import { OperatorError } from '../errors.ts';

/** The asker is none of those who may: the refusal names them. */
export class NotAmong extends OperatorError {
  /** Rights, people and user groups, as in approvals.from. */
  readonly from: readonly string[];

  constructor(message: string, from: readonly string[]) {
    super('forbidden', message, { hint: 'Ask one of them.' });
    this.from = from;
  }
}
