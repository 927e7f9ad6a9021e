import { beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseUnavailable } from './errors.ts';
import { RefreshAheadCache } from './refresh-ahead-cache.ts';

describe('RefreshAheadCache', () => {
  let now = 0;
  let loadedKeys: string[] = [];
  let source: Map<string, string> | undefined;
  const create = (weightMax = 10) =>
    new RefreshAheadCache<string>({
      weightMax,
      freshMs: 1_000,
      staleMs: 60_000,
      now: () => now,
      async load(key) {
        loadedKeys.push(key);
        if (source === undefined) throw databaseUnavailable(new Error('out of reach'));
        return source.get(key);
      },
    });
  beforeEach(() => {
    now = 0;
    loadedKeys = [];
    source = new Map([
      ['a', 'A1'],
      ['b', 'B1'],
    ]);
  });

  it('concurrent lookups of one key share one load, and later lookups hit the cache', async () => {
    const cache = create();
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['A1', 'A1']);
    expect(cache.get('a')).toBe('A1');
    expect(loadedKeys).toEqual(['a']);
  });

  it('a key in use is reloaded in the background before it goes stale', async () => {
    const cache = create();
    await cache.get('a');
    source?.set('a', 'A2');
    now = 600;
    expect(cache.get('a')).toBe('A1');
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(cache.get('a')).toBe('A2');
    expect(loadedKeys).toEqual(['a', 'a']);
  });

  it('no value is older than freshMs while the source responds', async () => {
    const cache = create();
    await cache.get('a');
    source?.set('a', 'A2');
    now = 1_000;
    expect(await cache.get('a')).toBe('A2');
  });

  it('the cached object stays if the reloaded value is the same', async () => {
    let revision = 1;
    const cache = new RefreshAheadCache<{ revision: number }>({
      weightMax: 10,
      freshMs: 1_000,
      staleMs: 60_000,
      now: () => now,
      load: async () => ({ revision }),
      isSame: (cached, fresh) => cached.revision === fresh.revision,
    });
    const first = await cache.get('a');
    now = 600;
    cache.get('a');
    await new Promise(setImmediate);
    now = 1_100;
    expect(cache.get('a')).toBe(first);
    await new Promise(setImmediate);
    revision = 2;
    now = 2_200;
    await cache.get('a');
    expect(cache.get('a')).toEqual({ revision: 2 });
  });

  it('every lookup is reported as a hit or a miss', async () => {
    const seen: boolean[] = [];
    const cache = new RefreshAheadCache<string>({
      weightMax: 10,
      freshMs: 1_000,
      staleMs: 60_000,
      now: () => now,
      load: async (key) => source?.get(key),
      observe: (isHit) => seen.push(isHit),
    });
    await cache.get('a');
    cache.get('a');
    now = 600;
    cache.get('a');
    await new Promise(setImmediate);
    now = 2_000;
    await cache.get('a');
    expect(seen).toEqual([false, true, true, false]);
  });

  it('a missing key is not cached', async () => {
    const cache = create();
    expect(await cache.get('new')).toBeUndefined();
    source?.set('new', 'N');
    expect(await cache.get('new')).toBe('N');
  });

  it('a key that the source no longer has is dropped', async () => {
    const cache = create();
    await cache.get('a');
    source?.delete('a');
    now = 1_000;
    expect(await cache.get('a')).toBeUndefined();
    expect(await cache.get('a')).toBeUndefined();
  });

  it('the stale value is returned during an outage, until staleMs', async () => {
    const cache = create();
    await cache.get('a');
    source = undefined;
    now = 600;
    expect(cache.get('a')).toBe('A1');
    now = 59_999;
    expect(await cache.get('a')).toBe('A1');
    now = 60_000;
    await expect(cache.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(cache.get('b')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('lookups do not wait for the source right after a failure, and use it once it recovers', async () => {
    const cache = create();
    await cache.get('a');
    source = undefined;
    now = 5_000;
    await cache.get('a');
    now = 5_999;
    expect(cache.get('a')).toBe('A1');
    await new Promise(setImmediate);
    source = new Map([['a', 'A2']]);
    expect(cache.get('a')).toBe('A1');
    await new Promise(setImmediate);
    expect(cache.get('a')).toBe('A2');
  });

  it('a failed load of one key does not make other keys stale', async () => {
    const cache = create();
    await cache.get('a');
    await cache.get('b');
    const healthy = source;
    now = 30_000;
    source = undefined;
    await cache.get('b');
    source = healthy;
    source?.delete('a');
    expect(await cache.get('a')).toBeUndefined();
  });

  it('an error other than unavailable is thrown, not bridged by a stale value', async () => {
    let isBroken = false;
    const cache = new RefreshAheadCache<string>({
      weightMax: 10,
      freshMs: 1_000,
      staleMs: 60_000,
      now: () => now,
      load: () => (isBroken ? Promise.reject(new TypeError('defect')) : Promise.resolve('A1')),
    });
    await cache.get('a');
    isBroken = true;
    now = 5_000;
    await expect(cache.get('a')).rejects.toThrow('defect');
  });

  it('a lookup waits at most freshMs for a hanging source', async () => {
    vi.useFakeTimers();
    let isHanging = false;
    const cache = new RefreshAheadCache<string>({
      weightMax: 10,
      freshMs: 1_000,
      staleMs: 60_000,
      now: () => now,
      load: () => (isHanging ? new Promise(() => {}) : Promise.resolve('A1')),
    });
    await cache.get('a');
    isHanging = true;
    now = 5_000;
    const answer = cache.get('a');
    now = 6_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('A1');
    expect(cache.get('a')).toBe('A1');
    vi.useRealTimers();
  });

  it('only one lookup waits for a hanging source, however long it hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const failures: ((error: Error) => void)[] = [];
    let isHanging = false;
    const cache = new RefreshAheadCache<string>({
      weightMax: 10,
      freshMs: 1_000,
      staleMs: 60_000,
      now: () => now,
      load: () => (isHanging ? new Promise((_, reject) => failures.push(reject)) : Promise.resolve('A1')),
    });
    await cache.get('a');
    isHanging = true;
    now = 1_000;
    const waiting = cache.get('a');
    expect(waiting).toBeInstanceOf(Promise);
    vi.advanceTimersByTime(1_000);
    expect(await waiting).toBe('A1');
    for (now = 2_000; now < 6_000; now += 500) expect(cache.get('a')).toBe('A1');
    failures[0]?.(databaseUnavailable(new Error('no response')));
    vi.useRealTimers();
    await new Promise(setImmediate);
    // Now the next load hangs.
    for (; now < 11_000; now += 500) expect(cache.get('a')).toBe('A1');
    expect(failures).toHaveLength(2);
  });

  it('evicts the least recently reloaded entry beyond its limit', async () => {
    const cache = create(2);
    source?.set('c', 'C');
    await cache.get('a');
    await cache.get('b');
    now = 1_000;
    await cache.get('a');
    await cache.get('c');
    loadedKeys = [];
    cache.get('a');
    cache.get('c');
    expect(loadedKeys).toEqual([]);
    await cache.get('b');
    expect(loadedKeys).toEqual(['b']);
  });

  describe('a write to one key', () => {
    it('an invalidated key is loaded again at once', async () => {
      const cache = create();
      await cache.get('a');
      source?.set('a', 'A2');
      cache.invalidate('a');
      cache.invalidate('never loaded');
      expect(await cache.get('a')).toBe('A2');
      expect(loadedKeys).toEqual(['a', 'a']);
    });

    it('a load that started before the write is not cached, however late it finishes', async () => {
      const loads: ((value: string) => void)[] = [];
      const cache = new RefreshAheadCache<string>({
        weightMax: 10,
        freshMs: 1_000,
        staleMs: 60_000,
        now: () => now,
        load: () => new Promise((resolve) => loads.push(resolve)),
      });
      const before = cache.get('a');
      cache.invalidate('a');
      const after = cache.get('a');
      loads[1]?.('new');
      expect(await after).toBe('new');
      loads[0]?.('old');
      expect(await before).toBe('old');
      expect(cache.get('a')).toBe('new');
      now = 600;
      cache.get('a');
      cache.markStale('a');
      loads[2]?.('from before it was stale');
      await new Promise(setImmediate);
      const reloaded = cache.get('a');
      loads[3]?.('newest');
      expect(await reloaded).toBe('newest');
    });

    it('a stale key is loaded again, and its value is only a fallback during an outage', async () => {
      const cache = create();
      await cache.get('a');
      source?.set('a', 'A2');
      cache.markStale('a');
      expect(await cache.get('a')).toBe('A2');
      cache.markStale('a');
      source = undefined;
      expect(await cache.get('a')).toBe('A2');
      now = 58_999;
      expect(await cache.get('a')).toBe('A2');
      now = 59_000;
      await expect(cache.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
      cache.markStale('never loaded');
      await expect(cache.get('never loaded')).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('marking a key stale does not extend its life', async () => {
      const cache = create();
      await cache.get('a');
      source = undefined;
      now = 59_999;
      cache.markStale('a');
      now = 60_000;
      await expect(cache.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  describe('a write to several keys', () => {
    const beginsWith = (letter: string) => (value: string) => value.startsWith(letter);
    const done = () => Promise.resolve('done');
    const failed = () => Promise.reject(new Error('out of reach'));

    it('a write that affects several keys drops those and no others', async () => {
      const cache = create();
      source?.set('also a', 'A9');
      for (const key of ['a', 'b', 'also a']) await cache.get(key);
      expect(await cache.invalidateAfter(done(), beginsWith('A'))).toBe('done');
      loadedKeys = [];
      expect(cache.get('b')).toBe('B1');
      source?.set('a', 'A2');
      source?.delete('also a');
      expect(await cache.get('a')).toBe('A2');
      expect(await cache.get('also a')).toBeUndefined();
      expect(loadedKeys).toEqual(['a', 'also a']);
    });

    it('a dropped value is never returned, even during an outage', async () => {
      const cache = create();
      await cache.get('a');
      expect(await cache.invalidateAfter(done(), beginsWith('A'))).toBe('done');
      source = undefined;
      await expect(cache.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('dropped entries no longer count toward the limit', async () => {
      const cache = create(2);
      for (const key of ['a', 'b']) await cache.get(key);
      await cache.invalidateAfter(done(), () => true);
      for (const key of ['a', 'b']) await cache.get(key);
      loadedKeys = [];
      expect([cache.get('a'), cache.get('b')]).toEqual(['A1', 'B1']);
      expect(loadedKeys).toEqual([]);
    });

    it('a failed write makes the affected keys stale, so they are only a fallback during an outage', async () => {
      const cache = create();
      await cache.get('a');
      await cache.get('b');
      source?.set('a', 'A2');
      await expect(cache.invalidateAfter(failed(), beginsWith('A'))).rejects.toThrow('out of reach');
      expect(cache.get('b')).toBe('B1');
      expect(await cache.get('a')).toBe('A2');
      await expect(cache.invalidateAfter(failed(), beginsWith('A'))).rejects.toThrow('out of reach');
      source = undefined;
      expect(await cache.get('a')).toBe('A2');
    });

    it.each([
      ['succeeds', done],
      ['fails', failed],
    ])('loads in flight when a write %s are not cached, because they may be affected', async (_, write) => {
      const loads: ((value: string) => void)[] = [];
      const cache = new RefreshAheadCache<string>({
        weightMax: 10,
        freshMs: 1_000,
        staleMs: 60_000,
        now: () => now,
        load: () => new Promise((resolve) => loads.push(resolve)),
      });
      const before = cache.get('a');
      await cache.invalidateAfter(write(), () => false).catch(() => {});
      loads[0]?.('old');
      expect(await before).toBe('old');
      const after = cache.get('a');
      loads[1]?.('new');
      expect(await after).toBe('new');
      expect(cache.get('a')).toBe('new');
    });
  });

  describe('weighed entries', () => {
    const weighing = (weightMax: number) =>
      new RefreshAheadCache<string>({
        weightMax,
        weigh: (value) => value.length,
        freshMs: 1_000,
        staleMs: 60_000,
        now: () => now,
        async load(key) {
          loadedKeys.push(key);
          return source?.get(key);
        },
      });
    const isCached = async (cache: RefreshAheadCache<string>, key: string) => {
      loadedKeys = [];
      await cache.get(key);
      return loadedKeys.length === 0;
    };

    it('evicts as many entries as the new one needs, least recently reloaded first', async () => {
      source = new Map([
        ['a', '333'],
        ['b', '333'],
        ['c', '1'],
        ['d', '55555'],
      ]);
      const cache = weighing(9);
      for (const key of ['a', 'b', 'c', 'd']) await cache.get(key);
      expect(await isCached(cache, 'd')).toBe(true);
      expect(await isCached(cache, 'c')).toBe(true);
      expect(await isCached(cache, 'b')).toBe(true);
      expect(await isCached(cache, 'a')).toBe(false);
    });

    it('an entry heavier than the limit is not cached, and the others stay', async () => {
      source = new Map([
        ['a', '333'],
        ['b', '333'],
        ['heavy', 'x'.repeat(10)],
      ]);
      const cache = weighing(9);
      for (const key of ['a', 'b', 'heavy']) await cache.get(key);
      expect(await isCached(cache, 'heavy')).toBe(false);
      expect(await isCached(cache, 'a')).toBe(true);
      expect(await isCached(cache, 'b')).toBe(true);
    });

    it('invalidated, replaced and missing entries no longer count toward the limit', async () => {
      source = new Map([
        ['a', '333'],
        ['b', '4444'],
        ['c', '333'],
      ]);
      const cache = weighing(9);
      for (let round = 0; round < 5; round += 1) {
        await cache.get('a');
        cache.invalidate('a');
        await cache.get('b');
        source.set('b', source.get('b') === '22' ? '4444' : '22');
        now += 1_000;
        await cache.get('b');
        source.delete('c');
        await cache.get('c');
        source.set('c', '333');
        await cache.get('c');
        now += 1_000;
        source.delete('c');
        await cache.get('c');
      }
      source = new Map([
        ['x', '555'],
        ['y', '666'],
        ['z', '777'],
      ]);
      cache.invalidate('b');
      for (const key of ['x', 'y', 'z']) await cache.get(key);
      for (const key of ['x', 'y', 'z']) expect(await isCached(cache, key)).toBe(true);
    });
  });

  describe('generations shared by other processes', () => {
    let generation = 0;
    const generations = {
      of: () => generation,
      advance() {
        generation += 1;
      },
      advanceAll() {
        generation += 1;
      },
    };
    const createShared = () =>
      new RefreshAheadCache<string>({
        weightMax: 10,
        freshMs: 1_000,
        staleMs: 60_000,
        now: () => now,
        generations,
        load: async (key) => {
          if (source === undefined) throw databaseUnavailable(new Error('out of reach'));
          return source.get(key);
        },
      });

    it('a value that another process has overwritten is not returned, even during an outage', async () => {
      const [one, other] = [createShared(), createShared()];
      expect(await one.get('a')).toBe('A1');
      source?.set('a', 'A2');
      other.invalidate('a');
      expect(await one.get('a')).toBe('A2');
      source?.set('a', 'A3');
      await other.invalidateAfter(Promise.resolve(), () => true);
      source = undefined;
      await expect(one.get('a')).rejects.toThrow('database');
    });

    it('a lookup does not join a load that started before another process wrote', async () => {
      const [one, other] = [createShared(), createShared()];
      const before = one.get('a');
      source?.set('a', 'A2');
      other.invalidate('a');
      expect(await one.get('a')).toBe('A2');
      expect(await before).toBe('A1');
      expect(one.get('a')).toBe('A2');
    });

    it('a stale value is returned during an outage if no process has written', async () => {
      const one = createShared();
      await one.get('a');
      source = undefined;
      now = 5_000;
      expect(await one.get('a')).toBe('A1');
    });
  });
});
