import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { callRecord } from '../../../test/support/call-records.ts';
import type { CallRecord } from './call-record.ts';
import { createLedger } from './ledger.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const record = (upstreamId: string) => callRecord({ organizationId: 'o', workspaceId: 'w' }, { upstreamId });

it('a record that is not ready waits, and one that cannot be made is dropped alone', async () => {
  const stored: CallRecord[] = [];
  const dropped: number[] = [];
  const failures: unknown[] = [];
  const ledger = createLedger({
    store: {
      async write({ calls }) {
        stored.push(...calls);
      },
    },
    waitingMax: 3,
    keepsCalls: true,
    onDropped: (count) => dropped.push(count),
    onFailure: (error) => failures.push(error),
  });
  const failure = new Error('no list prices');
  ledger.record(record('a'));
  ledger.record(Promise.reject(failure));
  ledger.record(Promise.resolve(record('b')));
  ledger.record(record('beyond the limit'));
  // An unhandled rejection would fail the test here.
  await vi.advanceTimersByTimeAsync(400);
  expect([stored, ledger.waiting, dropped]).toEqual([[], 3, [1]]);
  await vi.advanceTimersByTimeAsync(200);
  expect(stored.map(({ upstreamId }) => upstreamId)).toEqual(['a', 'b']);
  expect([ledger.waiting, dropped, failures]).toEqual([0, [1, 1], [failure]]);
});
