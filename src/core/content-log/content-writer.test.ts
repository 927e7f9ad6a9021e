import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PresetdError } from '../errors.ts';
import { defaultContentLog } from './content-log-settings.ts';
import { ContentMemory } from './content-memory.ts';
import type { StoredContent } from './content-storage.ts';
import { createContentWriter } from './content-writer.ts';

const settings = { ...defaultContentLog, isEnabled: true };

function contentIn(memory: ContentMemory, callId: string, bytes = 1_000) {
  const request = Buffer.from(JSON.stringify({ text: 'x'.repeat(bytes) }));
  const raw = {
    ...{ request, sent: null, sentDialect: null, response: null, failures: [], truncated: [] },
  };
  return { workspaceId: 'w', callId, raw, settings, share: memory.createShare() };
}

describe('the writer of content', () => {
  let stored: StoredContent[][];
  let memory: ContentMemory;
  let failure: Error | undefined;
  let dropped: number;
  let failures: unknown[];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    stored = [];
    failure = undefined;
    dropped = 0;
    failures = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const content = (callId: string, bytes?: number) => contentIn(memory, callId, bytes);
  const create = (bytesMax = 100_000) => {
    const onDropped = (count: number) => {
      dropped += count;
    };
    memory = new ContentMemory(bytesMax, onDropped);
    return createContentWriter({
      store: {
        async write(contents) {
          if (failure !== undefined) throw failure;
          stored.push([...contents]);
        },
      },
      onDropped,
      onFailure: (error) => {
        failures.push(error);
      },
    });
  };
  const idsOf = (batches: readonly (readonly StoredContent[])[]) =>
    batches.map((batch) => batch.map(({ callId }) => callId));

  it('contents are written together, after half a second', async () => {
    const writer = create();
    for (const id of ['a', 'b', 'c']) writer.record(content(id));
    await vi.advanceTimersByTimeAsync(400);
    expect(stored).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    await expect.poll(() => idsOf(stored)).toEqual([['a', 'b', 'c']]);
    expect(dropped).toBe(0);
  });

  it('what is more than may wait is dropped and counted, until there is room again', async () => {
    const writer = create(5_000);
    for (let index = 0; index < 10; index += 1) writer.record(content(`${index}`));
    expect(dropped).toBe(7);
    await vi.advanceTimersByTimeAsync(600);
    await expect.poll(() => idsOf(stored)).toEqual([['0', '1', '2']]);
    expect(memory.bytes).toBe(0);
    writer.record(content('later'));
    await vi.advanceTimersByTimeAsync(600);
    await expect.poll(() => idsOf(stored).at(-1)).toEqual(['later']);
    expect(dropped).toBe(7);
  });

  it('while the database is unavailable, contents wait', async () => {
    const writer = create();
    failure = new PresetdError('unavailable', 'down');
    writer.record(content('a'));
    await vi.advanceTimersByTimeAsync(600);
    await expect.poll(() => failures.length).toBe(1);
    writer.record(content('b'));
    failure = undefined;
    await vi.advanceTimersByTimeAsync(1_100);
    await expect.poll(() => idsOf(stored).flat()).toEqual(['a', 'b']);
    expect(dropped).toBe(0);
  });

  it('contents that cannot be written are dropped, and not tried again', async () => {
    const writer = create();
    failure = new Error('a defect');
    writer.record(content('a'));
    await vi.advanceTimersByTimeAsync(600);
    await expect.poll(() => dropped).toBe(1);
    expect(memory.bytes).toBe(0);
    failure = undefined;
    writer.record(content('b'));
    await vi.advanceTimersByTimeAsync(600);
    await expect.poll(() => idsOf(stored)).toEqual([['b']]);
  });

  it('large contents are written in several batches', async () => {
    const writer = create(10_000_000);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const { raw, ...others } = content(id, 500_000);
      writer.record({ ...others, raw, settings: { ...settings, bytesMax: 1_000_000 } });
    }
    await vi.advanceTimersByTimeAsync(600);
    await expect
      .poll(() => idsOf(stored))
      .toEqual([
        ['a', 'b', 'c'],
        ['d', 'e', 'f'],
      ]);
  });

  it('stopping writes what waits, and nothing later', async () => {
    const writer = create();
    writer.record(content('a'));
    await writer.stop();
    expect(idsOf(stored)).toEqual([['a']]);
    writer.record(content('b'));
    expect(dropped).toBe(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(idsOf(stored)).toEqual([['a']]);
  });

  it('stopping while the database is unavailable loses and counts what waits', async () => {
    const writer = create();
    failure = new PresetdError('unavailable', 'down');
    for (const id of ['a', 'b']) writer.record(content(id));
    await writer.stop();
    expect([dropped, stored]).toEqual([2, []]);
  });
});
