import type { KeyWithSecret } from '../../client/organization-answers.ts';
import type { ApiResponse } from '../api-client.ts';
import { type OutputOptions, printJson } from '../api-command.ts';
import { NoResponseError } from '../api-errors.ts';
import { printSecret } from '../print-secret.ts';

export function printNewKey(
  answer: ApiResponse<KeyWithSecret>,
  { json }: OutputOptions,
  describe: (answer: KeyWithSecret) => string,
): void {
  if (json) printJson(answer);
  else printSecret(answer.content.key, describe(answer.content));
}

/** A secret that nobody heard cannot be asked for again. */
export function unheardSecret(what: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof NoResponseError ? error.restated(`${error.message}\n${what}`) : error;
  };
}
