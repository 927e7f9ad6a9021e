import { type Config, loadConfig } from '../config/server-config.ts';
import { readEnvironment } from '../config/settings.ts';
import type { Member, Organization } from '../core/organization/organization.ts';
import type { Storage } from '../core/storage.ts';
import { assertMigrated, openStorage } from '../storage/open.ts';
import { CommandError } from './command-error.ts';

/**
 * For commands of someone with access to the database itself. They need no key, and work while
 * servers run. Opens the database for `work`, and closes it however that ends.
 */
export async function withStorage(work: (storage: Storage, config: Config) => Promise<void>): Promise<void> {
  const config = loadConfig(readEnvironment());
  await assertMigrated(config.storage);
  const storage = await openStorage(config.storage);
  try {
    await work(storage, config);
  } finally {
    await storage.close();
  }
}

/** Finds a member, by default the longest-standing admin, who is also returned. */
export async function findPerson(
  { organizations, members }: Storage,
  idOrEmail: string | undefined,
): Promise<{ readonly organization: Organization; readonly admin: Member; readonly person: Member }> {
  const first = await organizations.first();
  if (first === undefined)
    throw new CommandError('The database is empty. Start the server once to create the organization.');
  const person = idOrEmail === undefined ? first.admin : await members.find(first.organization.id, idOrEmail);
  if (person === undefined) throw notAMember(idOrEmail);
  return { ...first, person };
}

export function notAMember(idOrEmail: string | undefined): CommandError {
  return new CommandError(`${idOrEmail} is not a member.`, { kind: 'not_found' });
}
