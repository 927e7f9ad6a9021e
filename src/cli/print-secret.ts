import { print, tell } from './output.ts';

/** The sentence goes to standard error and the secret alone to standard output, from where it can be sent on. */
export function printSecret(secret: string, sentence: string): void {
  tell(sentence);
  print(secret);
}
