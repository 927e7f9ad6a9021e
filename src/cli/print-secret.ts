import { print, printStderr } from './output.ts';

/** The sentence goes to standard error and the secret alone to standard output, from where it can be sent on. */
export function printSecret(secret: string, sentence: string): void {
  printStderr(sentence);
  print(secret);
}
