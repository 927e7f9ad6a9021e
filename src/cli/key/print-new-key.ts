import type { KeyWithSecret } from '../../client/organization-answers.ts';
import type { ApiResponse } from '../api-client.ts';
import { type OutputOptions, printJson } from '../api-command.ts';
import { printSecret } from '../output.ts';

/** Prints the secret of a key that was created or rotated. The server keeps only its hash. */
export function printNewKey(
  response: ApiResponse<KeyWithSecret>,
  { json }: OutputOptions,
  describe: (content: KeyWithSecret) => string,
): void {
  if (json) printJson(response);
  else printSecret(response.content.key, describe(response.content));
}
