import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Key } from '../../client/organization-answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { keyPath } from '../organization/path.ts';
import { shortTime } from '../short-time.ts';
import { parseTime } from '../time-option.ts';
import { keyArgument } from './argument.ts';
import { parseKeyName } from './create.ts';
import { describeKey } from './render-key.ts';

export function editCommand(): Command {
  return organizationCommand('edit')
    .description('Change the name or expiration of a key')
    .addArgument(keyArgument())
    .option('--name <text>', 'What the key is for', parseKeyName)
    .option('--expires-at <time>', 'Expiration time, such as 2027-01-31, or "never"', parseExpiry)
    .action(edit);
}

interface EditOptions extends OutputOptions {
  readonly name?: string;
  readonly expiresAt?: string;
}

async function edit(key: string, options: EditOptions): Promise<void> {
  const { name, expiresAt } = options;
  if (name === undefined && expiresAt === undefined)
    throw new UsageError('Nothing to change. Use --name or --expires-at.');
  const response = await connectToOrganization().send<One<Key>>({
    method: 'PATCH',
    path: keyPath(key),
    body: JSON.stringify({ name, expires_at: expiresAt === never ? null : expiresAt }),
  });
  printResponse(response, options, ({ data }) => {
    const expiry = data.expires_at === null ? 'it never expires' : `it expires ${shortTime(data.expires_at)}`;
    return `Updated ${describeKey(data)}${expiresAt === undefined ? '' : `: ${expiry}`}.`;
  });
}

/** An option cannot be null, so this word stands for "no expiration". */
const never = 'never';

function parseExpiry(text: string): string {
  return text === never ? never : parseTime(text);
}
