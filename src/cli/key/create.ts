import { type Command, InvalidArgumentError } from 'commander';
import type { KeyWithSecret } from '../../client/organization-answers.ts';
import { oneLine } from '../../client/printable.ts';
import type { OutputOptions } from '../api-command.ts';
import { hintIfResponseLost } from '../api-errors.ts';
import { UsageError } from '../command-error.ts';
import { parseIdentifier } from '../identifier-option.ts';
import { parseName } from '../name-option.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findMember, workspaceIdOf } from '../organization/find.ts';
import { parseTime } from '../time-option.ts';
import { printNewKey } from './print-new-key.ts';

export function createCommand(): Command {
  return organizationCommand('create')
    .description('Create a key and print its secret, which is shown only once')
    .requiredOption('--name <text>', 'What the key is for (required)', parseKeyName)
    .option('--management', 'Create a management key instead of an API key')
    .option('--read-only', 'With --management: allow only reading')
    .option('--owner <email or id>', 'Member who owns the key (default: owner of your key)', parseIdentifier)
    .option(
      '--workspace <id or slug>',
      'Workspace of an API key (default: the default workspace)',
      parseIdentifier,
    )
    .option('--expires-at <time>', 'Expiration time, such as 2027-01-31 (default: never)', parseTime)
    .action(create);
}

/** Members may have empty names, keys may not. */
export function parseKeyName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Must not be empty.');
  return parseName(text);
}

interface CreateOptions extends OutputOptions {
  readonly name: string;
  readonly management?: true;
  readonly readOnly?: true;
  readonly owner?: string;
  readonly workspace?: string;
  readonly expiresAt?: string;
}

/** Not retried: a second attempt would create a second key. */
async function create(options: CreateOptions): Promise<void> {
  if (options.readOnly && !options.management)
    throw new UsageError('--read-only applies only to management keys. Add --management.');
  if (options.management && options.workspace !== undefined)
    throw new UsageError('A management key works in every workspace. Omit --workspace.');
  const api = connectToOrganization();
  const owner = options.owner === undefined ? undefined : await findMember(api, options.owner);
  const workspaceId = await workspaceIdOf(api, options.workspace);
  const response = await api
    .send<KeyWithSecret>({
      method: 'POST',
      path: '/keys',
      body: JSON.stringify({
        name: options.name,
        kind: options.readOnly ? 'read_only' : options.management ? 'management' : 'api',
        creator_user_id: owner?.id,
        workspace_id: workspaceId,
        expires_at: options.expiresAt,
      }),
    })
    .catch(hintIfResponseLost('The key may have been created anyway; check with "presetd key list".'));
  printNewKey(response, options, ({ data }) => {
    const kind = data.kind === 'api' ? 'an API' : data.read_only ? 'a read-only management' : 'a management';
    return `Created ${kind} key for ${oneLine(data.creator_email ?? data.creator_user_id)}. Copy it now; it is not shown again:`;
  });
}
