import type { Caller } from './authenticate.ts';
import { PresetdError } from './errors.ts';
import type { MemberPage, Page } from './organization.ts';
import type { MemberStore } from './storage.ts';

/** The members of the organization that the management key belongs to. */
export async function listMembers(members: MemberStore, caller: Caller, page: Page): Promise<MemberPage> {
  if (caller.kind !== 'management') {
    throw new PresetdError('unauthenticated', 'Listing members needs a management key; this is an API key.');
  }
  if (caller.organizationId === null) {
    throw new PresetdError('not_found', 'This management key is personal: it belongs to no organization.');
  }
  const found = await members.list(caller.organizationId, page);
  if (found === undefined)
    throw new PresetdError('not_found', 'The organization of this key no longer exists.');
  return found;
}
