import { createInterface } from 'node:readline/promises';
import { CommandError, MisuseError } from './command-error.ts';
import { printStderr } from './ui/output.ts';

/**
 * Shows what a change means and asks whether to make it. Throws if the answer is no. Without a
 * terminal nobody can answer, so the command needs `--yes`.
 */
export async function askToGoAhead(explanation: string, question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new MisuseError(`${explanation}\nNothing was changed. To go ahead, add --yes.`);
  printStderr(explanation);
  if (!(await confirm(question))) throw new CommandError('Nothing was changed.');
}

/** Closing the input with Ctrl+D or Ctrl+C is a no. */
async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed]);
  // Without an answer, the cursor is still in the line of the question.
  if (answer === undefined) printStderr('');
  terminal.close();
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
