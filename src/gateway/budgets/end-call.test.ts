import { expect, it, vi } from 'vitest';
import type { ResolvedKey } from '../../core/organization/caller.ts';
import { createTrace } from '../call.ts';
import { KnownModels } from '../ledger/known-models.ts';
import { createListPrices } from '../ledger/list-prices.ts';
import type { EndedCall } from '../ledger/record-of-call.ts';
import { endCall } from './end-call.ts';

const caller = { kind: 'api', id: 'key', organizationId: 'o', workspaceId: 'w', ownerId: 'u' };

/** A call that has set aside 70 and 30, and that no upstream has responded to. */
function startCall() {
  const reservations = [70, 30].map((nanos) => ({ nanos, settle: vi.fn() }));
  const ended: EndedCall = {
    dialect: 'chat-completions',
    caller: caller as ResolvedKey,
    headers: {},
    requestId: 'r',
    bytes: Buffer.alloc(0),
    body: {},
    trace: { ...createTrace(), reservations },
    receivedAt: 0,
    status: 502,
    totalMs: 1,
  };
  const options = {
    ledger: { record: vi.fn() },
    spending: { count: vi.fn() },
    listPrices: createListPrices(),
    knownModels: new KnownModels(),
    measurements: { tokens: vi.fn() },
  };
  const settled = () => reservations.map(({ settle }) => settle.mock.calls);
  return { ended, options, settled };
}

it('a call is recorded, and settled at the cost in its record', async () => {
  const { ended, options, settled } = startCall();
  endCall(ended, options);
  expect(options.ledger.record).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ id: ended.trace.id, cost: expect.objectContaining({ nanos: 0 }) }),
  );
  await expect.poll(settled).toEqual([[[0]], [[0]]]);
});

it('a call without a record costs what it has set aside', async () => {
  const { ended, options, settled } = startCall();
  vi.spyOn(options.knownModels, 'isKnown').mockImplementation(() => {
    throw new Error('cannot be recorded');
  });
  expect(() => endCall(ended, options)).toThrow('cannot be recorded');
  await expect.poll(settled).toEqual([[[70]], [[30]]]);
});
