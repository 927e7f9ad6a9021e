import type { TestDatabase } from '../support/database.ts';
import { addMember, newMember, removeMemberFrom } from '../support/members.ts';
import { addKey, withStorage } from '../support/storage-access.ts';

/** Secrets of existing management keys that the server rejects or restricts. */
export interface UnusualKeys {
  readonly disabled: string;
  readonly expired: string;
  readonly readOnly: string;
  readonly ownerHasLeft: string;
  /** Belongs to no organization. */
  readonly personal: string;
}

/** Expects a database with an organization, which the first start of a server creates. */
export async function addUnusualKeys(database: TestDatabase): Promise<UnusualKeys> {
  return {
    disabled: await addKey(database, { disabled: true }),
    expired: await addKey(database, { expiresAt: '2026-01-01T00:00:01.000Z' }),
    readOnly: await addKey(database, { readOnly: true }),
    ownerHasLeft: await addKeyOfLeaver(database),
    personal: await addKey(database, { organizationId: null }),
  };
}

function addKeyOfLeaver(database: TestDatabase): Promise<string> {
  return withStorage(database, async ({ storage, organization }) => {
    const leaver = await addMember(storage, organization.id, newMember({ email: 'leaver@example.com' }));
    const secret = await addKey(database, { ownerId: leaver.id });
    await removeMemberFrom(storage, organization.id, leaver.id);
    return secret;
  });
}
