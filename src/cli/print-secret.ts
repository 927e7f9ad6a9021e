/** The sentence goes to standard error and the secret alone to standard output, from where it can be sent on. */
export function printSecret(secret: string, sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.stdout.write(`${secret}\n`);
}
