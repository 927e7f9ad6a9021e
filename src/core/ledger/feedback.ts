import type { Clock } from '../clock.ts';
import { readOnlyKey } from '../organization/assert-may.ts';
import type { Caller } from '../organization/caller.ts';
import { assertStorableText } from '../request-issues.ts';
import type { Feedback, LedgerStore } from './ledger-storage.ts';
import { readCall } from './read-calls.ts';

/** Throws `not_found` if there is no such call that the caller may see; ids as for `readCall`. */
export async function addFeedback(
  ledger: Pick<LedgerStore, 'find' | 'findByUpstreamId' | 'addFeedback'>,
  clock: Clock,
  caller: Caller,
  { id, otherIds }: { readonly id: string; readonly otherIds: readonly string[] },
  feedback: Feedback,
): Promise<void> {
  if (caller.readOnly) throw readOnlyKey(caller);
  assertStorableText('/comment', feedback.comment);
  const { id: callId } = await readCall(ledger, caller, id, otherIds);
  const authorId = caller.kind === 'session' ? caller.ownerId : caller.id;
  await ledger.addFeedback({ ...feedback, callId, authorId, createdAt: clock() });
}
