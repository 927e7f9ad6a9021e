import { type ApiKey, newSecret } from '../../src/core/organization/api-key.ts';
import type { Member, Organization } from '../../src/core/organization/organization.ts';
import type { Storage } from '../../src/core/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { TestDatabase } from './database.ts';
import { insertKey, newKey } from './members.ts';
import { storageOptions } from './storage-options.ts';

/** A storage with the first organization and its admin. */
export interface StorageAccess {
  readonly storage: Storage;
  readonly organization: Organization;
  readonly admin: Member;
}

/** Opens the database of a running server, as another process would. */
export async function withStorage<T>(
  database: TestDatabase,
  work: (access: StorageAccess) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(storageOptions(database));
  try {
    const first = await storage.organizations.first();
    if (first === undefined) throw new Error('the server has not created an organization');
    return await work({ storage, ...first });
  } finally {
    await storage.close();
  }
}

/** Adds a management key of the first admin, with these changes, and returns its secret. */
export function addKey(database: TestDatabase, changes: Partial<ApiKey> = {}): Promise<string> {
  return withStorage(database, async ({ storage, organization, admin }) => {
    const secret = newSecret();
    const owned = { ownerId: admin.id, organizationId: organization.id, ...changes };
    await insertKey(storage, newKey(owned, secret));
    return secret;
  });
}
