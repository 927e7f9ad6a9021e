/** Trouble that a person can mend; the message says how, and is all that is shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
