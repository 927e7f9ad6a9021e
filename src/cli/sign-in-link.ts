import { Command } from 'commander';
import type { Config } from '../config/server-config.ts';
import { createSignInLink, linkUrl } from '../core/accounts/sign-in-link.ts';
import { systemClock } from '../core/clock.ts';
import { operator } from '../core/organization/bootstrap.ts';
import type { Storage } from '../core/storage.ts';
import { describeDatabase } from '../storage/open.ts';
import { findPerson, notAMember, withStorage } from './operator-storage.ts';
import { parseIdentifier } from './options.ts';
import { printSecret } from './ui/output.ts';

/**
 * Signs a person in without a password or provider. It needs no key, only access to the database,
 * and works while servers run.
 */
export function signInLinkCommand(): Command {
  return new Command('sign-in-link')
    .argument('[email or id]', 'Person to sign in (default: longest-standing admin)', parseIdentifier)
    .action((idOrEmail: string | undefined) =>
      withStorage((storage, config) => createLink(storage, config, idOrEmail)),
    );
}

async function createLink(storage: Storage, config: Config, idOrEmail: string | undefined): Promise<void> {
  const { organization, person } = await findPerson(storage, idOrEmail);
  const address = { organizationId: organization.id, userId: person.id };
  const link = await createSignInLink(storage.accounts, systemClock, address, operator);
  if (link === undefined) throw notAMember(person.email);
  printSecret(
    linkUrl(baseUrl(config), link.token),
    `Created a link that signs in ${person.email} (${describeDatabase(config.storage.database)}). It works once, for 15 minutes:`,
  );
}

/** As the server prints its own address: cookies of localhost and 127.0.0.1 are not shared. */
function baseUrl({ publicUrl, host, port }: Config): string {
  const isEveryAddress = host === '0.0.0.0' || host === '::';
  const name = isEveryAddress ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return publicUrl?.origin ?? `http://${name}:${port}`;
}
