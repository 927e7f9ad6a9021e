import type { Command } from 'commander';
import type { Key, KeyWithSecret } from '../../client/organization-answers.ts';
import type { OutputOptions } from '../api-command.ts';
import { hintIfResponseLost } from '../api-errors.ts';
import { parseDuration } from '../duration-option.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { keyPath } from '../organization/path.ts';
import { shortTime } from '../short-time.ts';
import { keyArgument } from './argument.ts';
import { printNewKey } from './print-new-key.ts';
import { describeKey } from './render-key.ts';

export function rotateCommand(): Command {
  return organizationCommand('rotate')
    .description("Replace a key's secret and print the new one, which is shown only once")
    .addArgument(keyArgument())
    .option(
      '--grace <duration>',
      'How long the old secret keeps working: 0, or such as 90s, 30m, 12h or 7d (default: 1h)',
      parseDuration,
    )
    .action(rotate);
}

/** Not retried: each rotation replaces the secret, so the first one would be lost. */
async function rotate(key: string, options: OutputOptions & { readonly grace?: number }): Promise<void> {
  const response = await connectToOrganization()
    .send<KeyWithSecret>({
      method: 'POST',
      path: keyPath(key, 'rotate'),
      body: JSON.stringify({ grace_period_seconds: options.grace }),
    })
    .catch(
      hintIfResponseLost(
        'The secret may have been replaced anyway; rotate the key again to get one that you know.',
      ),
    );
  printNewKey(
    response,
    options,
    ({ data }) =>
      `Rotated ${describeKey(data)}: ${describeOldSecret(data)}. Copy the new one now; it is not shown again:`,
  );
}

function describeOldSecret({ disabled, previous_secret_expires_at: end }: Key): string {
  if (disabled) return 'no secret works while the key is disabled';
  return end === null || Date.parse(end) <= Date.now()
    ? 'the old secret no longer works'
    : `the old secret works until ${shortTime(end)}`;
}
