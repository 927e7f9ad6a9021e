import { type Command, InvalidArgumentError } from 'commander';
import type { KeyWithSecret } from '../../client/organization-answers.ts';
import { oneLine } from '../../client/printable.ts';
import type { OutputOptions } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { parseIdentifier } from '../identifier-option.ts';
import { parseName } from '../name-option.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findMember, workspaceIdOf } from '../organization/find.ts';
import { parseTime } from '../time-option.ts';
import { printNewKey, unheardSecret } from './print-new-key.ts';

export function createCommand(): Command {
  return organizationCommand('create')
    .description('make a key, and print it, this once, on standard output')
    .requiredOption('--name <text>', 'what the key is for (required)', parseKeyName)
    .option('--management', 'a key for administration, of all workspaces, instead of one for presets')
    .option('--read-only', 'with --management: a key that may only read')
    .option(
      '--owner <email or id>',
      'member who owns the key (default: the owner of your key)',
      parseIdentifier,
    )
    .option('--workspace <id or slug>', 'workspace of an API key (default: the default one)', parseIdentifier)
    .option('--expires-at <time>', 'when it ends, such as 2027-01-31 (default: never)', parseTime)
    .action(create);
}

export function parseKeyName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
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

async function create(options: CreateOptions): Promise<void> {
  if (options.readOnly && !options.management)
    throw new UsageError('--read-only applies to management keys only: add --management.');
  if (options.management && options.workspace !== undefined)
    throw new UsageError('A management key works in every workspace; leave --workspace out.');
  const api = connectToOrganization();
  const owner = options.owner === undefined ? undefined : await findMember(api, options.owner);
  const workspaceId = await workspaceIdOf(api, options.workspace);
  const answer = await api
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
    .catch(unheardSecret('The key may have been made all the same: "presetd key list" tells.'));
  printNewKey(answer, options, ({ data }) => {
    const kind = data.kind === 'api' ? 'an API' : data.read_only ? 'a read-only management' : 'a management';
    return `Made ${kind} key for ${oneLine(data.creator_email ?? data.creator_user_id)}. It is shown only now:`;
  });
}
