import { expect, it } from 'vitest';
import { databaseUnavailable } from './errors.ts';
import { createLastUseRecorder, lastUseFlushIntervalMs } from './last-use-recorder.ts';

/** A recorder over a store whose writes stay pending until the test settles them. */
function createRecording() {
  const written: Record<string, string>[] = [];
  const pending: PromiseWithResolvers<void>[] = [];
  let now = 0;
  const store = {
    recordLastUses(uses: ReadonlyMap<string, string>, intervalMs: number) {
      expect(intervalMs).toBe(lastUseFlushIntervalMs);
      written.push(Object.fromEntries(uses));
      const write = Promise.withResolvers<void>();
      pending.push(write);
      return write.promise;
    },
  };
  const recorder = createLastUseRecorder(store, () => now);
  const recordAt = (ms: number, keyId: string) => {
    now = ms;
    recorder.record(keyId);
  };
  return { recorder, recordAt, written, pending };
}

const at = (ms: number) => new Date(ms).toISOString();

it('a flush writes the last use of each key once', async () => {
  const { recorder, recordAt, written, pending } = createRecording();
  recordAt(1, 'a');
  recordAt(2, 'b');
  recordAt(3, 'a');
  const writing = recorder.flush();
  pending[0]?.resolve();
  await writing;
  expect(written).toEqual([{ a: at(3), b: at(2) }]);
  await recorder.flush();
  expect(written).toHaveLength(1);
});

it('a flush writes nothing if no key was used', async () => {
  const { recorder, written } = createRecording();
  await recorder.flush();
  expect(written).toEqual([]);
});

it('a use during a flush is written by the next one', async () => {
  const { recorder, recordAt, written, pending } = createRecording();
  recordAt(1, 'a');
  const first = recorder.flush();
  recordAt(2, 'a');
  pending[0]?.resolve();
  await first;
  const second = recorder.flush();
  pending[1]?.resolve();
  await second;
  expect(written).toEqual([{ a: at(1) }, { a: at(2) }]);
});

it('a use that could not be written is written by the next flush, unless there was a later one', async () => {
  const { recorder, recordAt, written, pending } = createRecording();
  recordAt(1, 'a');
  recordAt(1, 'b');
  const first = recorder.flush();
  recordAt(2, 'b');
  recordAt(2, 'c');
  pending[0]?.reject(databaseUnavailable(new Error('out of reach')));
  await expect(first).rejects.toMatchObject({ kind: 'unavailable' });
  const second = recorder.flush();
  pending[1]?.resolve();
  await second;
  expect(written[1]).toEqual({ a: at(1), b: at(2), c: at(2) });
});

it('uses are written 500 at a time, and those that were written are not written again', async () => {
  const { recorder, recordAt, written, pending } = createRecording();
  for (let index = 0; index < 501; index += 1) recordAt(index, `key-${index}`);
  const flush = recorder.flush();
  pending[0]?.resolve();
  await expect.poll(() => pending.length).toBe(2);
  pending[1]?.reject(databaseUnavailable(undefined));
  await expect(flush).rejects.toThrow();
  void recorder.flush();
  await expect.poll(() => pending.length).toBe(3);
  expect(written.map((uses) => Object.keys(uses).length)).toEqual([500, 1, 1]);
  expect(written[2]).toEqual({ 'key-500': at(500) });
});

it('the recorder returns the last use until it is stored', async () => {
  const { recorder, recordAt, pending } = createRecording();
  expect(recorder.unstoredUse('a')).toBeUndefined();
  recordAt(1, 'a');
  const failing = recorder.flush();
  expect(recorder.unstoredUse('a')).toBe(at(1));
  pending[0]?.reject(new Error('out of reach'));
  await expect(failing).rejects.toThrow();
  expect(recorder.unstoredUse('a')).toBe(at(1));
  const storing = recorder.flush();
  recordAt(2, 'b');
  recordAt(3, 'c');
  pending[1]?.resolve();
  await storing;
  const last = recorder.flush();
  recordAt(4, 'c');
  expect(recorder.unstoredUse('c')).toBe(at(4));
  pending[2]?.reject(new Error('out of reach'));
  await expect(last).rejects.toThrow();
  expect([recorder.unstoredUse('a'), recorder.unstoredUse('b')]).toEqual([undefined, at(2)]);
});

it('a flush that begins during another waits for it, and no use looks stored too early', async () => {
  const { recorder, recordAt, written, pending } = createRecording();
  recordAt(1, 'a');
  const first = recorder.flush();
  recordAt(2, 'b');
  const second = recorder.flush();
  expect([recorder.unstoredUse('a'), recorder.unstoredUse('b')]).toEqual([at(1), at(2)]);
  pending[0]?.resolve();
  await Promise.all([first, second]);
  expect([recorder.unstoredUse('a'), recorder.unstoredUse('b')]).toEqual([undefined, at(2)]);
  const third = recorder.flush();
  pending[1]?.resolve();
  await third;
  expect(written).toEqual([{ a: at(1) }, { b: at(2) }]);
});
