import { expect, it } from 'vitest';
import { databaseUnavailable } from './errors.ts';
import { createKeyUsageRecorder, usageFlushIntervalMs } from './key-usage.ts';

/** A store that writes down what it is given, once it is let to. */
function recording() {
  const written: Record<string, string>[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  let now = 0;
  const store = {
    recordLastUses(noted: ReadonlyMap<string, string>, intervalMs: number) {
      expect(intervalMs).toBe(usageFlushIntervalMs);
      written.push(Object.fromEntries(noted));
      const answer = Promise.withResolvers<void>();
      waiting.push(answer);
      return answer.promise;
    },
  };
  const uses = createKeyUsageRecorder(store, () => now);
  const noteAt = (ms: number, keyId: string) => {
    now = ms;
    uses.record(keyId);
  };
  return { uses, noteAt, written, waiting };
}

const at = (ms: number) => new Date(ms).toISOString();

it('the last use of each key is written down, once', async () => {
  const { uses, noteAt, written, waiting } = recording();
  noteAt(1, 'a');
  noteAt(2, 'b');
  noteAt(3, 'a');
  const writing = uses.flush();
  waiting[0]?.resolve();
  await writing;
  expect(written).toEqual([{ a: at(3), b: at(2) }]);
  await uses.flush();
  expect(written).toHaveLength(1);
});

it('nothing is written where nothing was used', async () => {
  const { uses, written } = recording();
  await uses.flush();
  expect(written).toEqual([]);
});

it('a use during a write is kept for the next', async () => {
  const { uses, noteAt, written, waiting } = recording();
  noteAt(1, 'a');
  const first = uses.flush();
  noteAt(2, 'a');
  waiting[0]?.resolve();
  await first;
  const second = uses.flush();
  waiting[1]?.resolve();
  await second;
  expect(written).toEqual([{ a: at(1) }, { a: at(2) }]);
});

it('what could not be written is kept, unless there was a later use', async () => {
  const { uses, noteAt, written, waiting } = recording();
  noteAt(1, 'a');
  noteAt(1, 'b');
  const first = uses.flush();
  noteAt(2, 'b');
  noteAt(2, 'c');
  waiting[0]?.reject(databaseUnavailable(new Error('out of reach')));
  await expect(first).rejects.toMatchObject({ kind: 'unavailable' });
  const second = uses.flush();
  waiting[1]?.resolve();
  await second;
  expect(written[1]).toEqual({ a: at(1), b: at(2), c: at(2) });
});
