/** Slack said no. `error` is Slack's code; `messages` are worded and pointed as Slack words them. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly error: string;
  readonly messages: readonly string[];

  constructor(error: string, messages: readonly string[] = []) {
    super([error, ...messages].join('; '));
    this.error = error;
    this.messages = messages;
  }
}
