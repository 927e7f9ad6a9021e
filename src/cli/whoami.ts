import type { Command } from 'commander';
import type { Account } from '../api/account.ts';
import type { CurrentKey } from '../api/keys.ts';
import { systemClock } from '../core/clock.ts';
import { createApiClient } from './api-client.ts';
import { organizationCommand, printJson, type ServerOptions } from './api-command.ts';
import { connectionFor, type ResolvedConnection } from './connection.ts';
import { limitOf } from './keys.ts';
import { type Paint, paintForStdout, print } from './ui/output.ts';
import { type KeyValue, renderKeyValueList } from './ui/table.ts';
import { describeExpiry, fullName, listNames } from './ui/text.ts';

export function whoamiCommand(): Command {
  return organizationCommand('whoami')
    .description('Show who you are on the server, what you can access there, and with which key')
    .action(whoami);
}

async function whoami(options: ServerOptions): Promise<void> {
  const connection = connectionFor('management', options.profile);
  const api = createApiClient(connection);
  const response = await api.call('GET /account');
  if (options.json) return printJson(response);
  const { data } = response.content;
  const key = data.credential.kind === 'api' ? (await api.call('GET /key')).content.data : undefined;
  print(renderAccount(data, connection, systemClock(), paintForStdout, key));
}

/**
 * The connection shows which server, and which setting or profile, is in use.
 * `key` is an API key, the only credential whose calls a limit can stop.
 */
export function renderAccount(
  account: Account,
  { url, keySetting, workspace }: Pick<ResolvedConnection, 'url' | 'keySetting' | 'workspace'>,
  now: string,
  paint: Paint,
  key?: CurrentKey,
): string {
  const { organization, workspaces, credential } = account;
  const entries: readonly KeyValue[] = [
    ['name', fullName(account)],
    ['organization', organization === null ? 'none' : `${organization.name}, ${organization.role}`],
    ['workspaces', listNames(workspaces.map(({ slug, role }) => `${slug} (${role})`))],
    ['key', `${credential.label}, ${credential.kind}`],
    ['scope', credential.scope],
    ['state', describeExpiry(credential.expires_at, now)],
    ['limit', key === undefined ? '' : limitOf(key)],
    ['from', keySetting],
    ['server', url],
    ['workspace', workspace?.slug ?? ''],
    ['id', account.id],
  ];
  return renderKeyValueList(account.email, entries, paint);
}
