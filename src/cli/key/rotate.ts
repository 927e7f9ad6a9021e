import type { Command } from 'commander';
import type { Key, KeyWithSecret } from '../../client/organization-answers.ts';
import type { OutputOptions } from '../api-command.ts';
import { parseDuration } from '../duration-option.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { keyPath } from '../organization/path.ts';
import { shortTime } from '../short-time.ts';
import { keyArgument } from './argument.ts';
import { printNewKey, unheardSecret } from './print-new-key.ts';
import { describeKey } from './render-key.ts';

export function rotateCommand(): Command {
  return organizationCommand('rotate')
    .description('give a key a new secret, and print it, this once, on standard output')
    .addArgument(keyArgument())
    .option(
      '--grace <duration>',
      'how long the older secret still works: 0, or such as 90s, 30m, 12h or 7d (default: 1h)',
      parseDuration,
    )
    .action(rotate);
}

async function rotate(key: string, options: OutputOptions & { readonly grace?: number }): Promise<void> {
  const answer = await connectToOrganization()
    .send<KeyWithSecret>({
      method: 'POST',
      path: keyPath(key, 'rotate'),
      body: JSON.stringify({ grace_period_seconds: options.grace }),
    })
    .catch(
      unheardSecret(
        'The key may have a new secret all the same; rotate it once more to have one that you know.',
      ),
    );
  printNewKey(
    answer,
    options,
    ({ data }) =>
      `${describeKey(data)} has a new secret; ${describeOlder(data)}. The new one is shown only now:`,
  );
}

function describeOlder({ disabled, previous_secret_expires_at: end }: Key): string {
  if (disabled) return 'no secret works while the key is disabled';
  return end === null || Date.parse(end) <= Date.now()
    ? 'the older one is refused from now on'
    : `the older one works until ${shortTime(end)}`;
}
