import { Command } from 'commander';
import { type Config, loadConfig } from '../config/server-config.ts';
import { readEnvironment } from '../config/settings.ts';
import { createSignInLink, linkUrl } from '../core/accounts/sign-in-link.ts';
import { systemClock } from '../core/clock.ts';
import { operator } from '../core/organization/bootstrap.ts';
import type { Storage } from '../core/storage.ts';
import { assertMigrated, describeDatabase, openStorage } from '../storage/open.ts';
import { CommandError } from './command-error.ts';
import { parseIdentifier } from './options.ts';
import { printSecret } from './ui/output.ts';

/**
 * Signs a person in without a password or provider. It needs no key, only access to the database,
 * and works while servers run.
 */
export function signInLinkCommand(): Command {
  return new Command('sign-in-link')
    .argument('[email or id]', 'Person to sign in (default: longest-standing admin)', parseIdentifier)
    .action(createLink);
}

async function createLink(idOrEmail: string | undefined): Promise<void> {
  const config = loadConfig(readEnvironment());
  await assertMigrated(config.storage);
  const storage = await openStorage(config.storage);
  try {
    const { organizationId, id, email } = await findPerson(storage, idOrEmail);
    const person = { organizationId, userId: id };
    const link = await createSignInLink(storage.accounts, systemClock, person, operator);
    if (link === undefined) throw notAMember(email);
    printSecret(
      linkUrl(baseUrl(config), link.token),
      `Created a link that signs in ${email} (${describeDatabase(config.storage.database)}). It works once, for 15 minutes:`,
    );
  } finally {
    await storage.close();
  }
}

async function findPerson({ organizations, members }: Storage, idOrEmail: string | undefined) {
  const first = await organizations.first();
  if (first === undefined)
    throw new CommandError('The database is empty. Start the server once to create the organization.');
  const organizationId = first.organization.id;
  if (idOrEmail === undefined) return { organizationId, ...first.admin };
  const found = await members.find(organizationId, idOrEmail);
  if (found === undefined) throw notAMember(idOrEmail);
  return { organizationId, ...found };
}

/** As the server prints its own address: cookies of localhost and 127.0.0.1 are not shared. */
function baseUrl({ publicUrl, host, port }: Config): string {
  const isEveryAddress = host === '0.0.0.0' || host === '::';
  const name = isEveryAddress ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return publicUrl?.origin ?? `http://${name}:${port}`;
}

function notAMember(idOrEmail: string): CommandError {
  return new CommandError(`${idOrEmail} is not a member.`, { kind: 'not_found' });
}
