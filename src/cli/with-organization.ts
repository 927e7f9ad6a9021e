import { loadConfig, readEnvironment } from '../config.ts';
import { PresetdError } from '../core/errors.ts';
import type { Member, Organization } from '../core/organization.ts';
import type { Storage } from '../core/storage.ts';
import { assertMigrated, openStorage } from '../storage/open.ts';

export interface OrganizationContext {
  readonly storage: Storage;
  readonly organization: Organization;
  /** The longest-standing admin: who owns a key when nobody else is named. */
  readonly admin: Member;
}

/** Opens the database of DATABASE_URL for one command and closes it afterwards. */
export async function withOrganization<T>(work: (context: OrganizationContext) => Promise<T>): Promise<T> {
  const options = loadConfig(readEnvironment()).storage;
  await assertMigrated(options);
  const storage = await openStorage(options);
  try {
    const first = await storage.organizations.first();
    if (first === undefined) {
      throw new PresetdError(
        'not_found',
        'The database is empty. Start the server once; it makes the organization.',
      );
    }
    return await work({ storage, ...first });
  } finally {
    await storage.close();
  }
}
