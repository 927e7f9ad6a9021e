import { newId } from '../../src/core/identifiers.ts';
import type { CallGroup } from '../../src/core/ledger/call-group.ts';
import { type CallRecord, firstIdAt } from '../../src/core/ledger/call-record.ts';
import type { WorkspaceAddress } from '../../src/core/organization/workspace.ts';
import { owner } from './preset-storage.ts';
import type { TestServer } from './server.ts';
import { withStorage } from './storage-access.ts';

/** The id of a call that arrives at this time. */
export function callIdAt(ms: number): string {
  return firstIdAt(ms).slice(0, 14) + newId().slice(14);
}

/** The record of a successful call that arrived now, unless the changes say otherwise. */
export function callRecord(
  { organizationId, workspaceId }: WorkspaceAddress,
  { group, ...changes }: Partial<Omit<CallRecord, 'group'>> & { readonly group?: Partial<CallGroup> } = {},
): CallRecord {
  return {
    id: callIdAt(Date.now()),
    group: {
      organizationId,
      workspaceId,
      keyId: null,
      userId: owner.id,
      presetId: null,
      presetSlug: null,
      version: null,
      selection: null,
      label: null,
      model: 'm',
      upstream: 'main',
      dialect: 'chat-completions',
      status: 200,
      purpose: 'call',
      ...group,
    },
    requestedModel: null,
    requestedPreset: null,
    errorCode: null,
    errorMessage: null,
    respondingModel: 'm',
    upstreamId: null,
    finishReason: 'stop',
    tokens: { input: 100, cached: null, cacheWrite: null, output: 10, reasoning: null },
    isEstimated: false,
    cost: { nanos: 3_000, source: 'file', price: { inputPerMillion: 0.03 } },
    firstTokenMs: 20,
    totalMs: 50,
    presetdMs: 0.5,
    isStreamed: false,
    fallbacks: [],
    sessionId: null,
    endUser: null,
    appTitle: null,
    referer: null,
    ...changes,
  };
}

/** Records calls of the default workspace, or of one that the changes name, as if served there. */
export async function recordCalls(
  { database }: Pick<TestServer, 'database'>,
  calls: readonly Parameters<typeof callRecord>[1][],
): Promise<void> {
  await withStorage(database, ({ storage, organization }) => {
    const workspace = { organizationId: organization.id, workspaceId: organization.defaultWorkspaceId };
    const batch = calls.map((changes) => callRecord(workspace, changes));
    return storage.ledger.write({ id: newId(), calls: batch }, true);
  });
}
