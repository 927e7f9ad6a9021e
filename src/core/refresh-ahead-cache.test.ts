import { beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseUnavailable } from './errors.ts';
import { RefreshAheadCache } from './refresh-ahead-cache.ts';

describe('FreshCache', () => {
  let now = 0;
  let asked: string[] = [];
  let source: Map<string, string> | undefined;
  const create = (weightMax = 10) =>
    new RefreshAheadCache<string>({
      weightMax,
      freshMs: 1_000,
      staleMs: 60_000,
      now: () => now,
      async load(key) {
        asked.push(key);
        if (source === undefined) throw databaseUnavailable(new Error('out of reach'));
        return source.get(key);
      },
    });
  beforeEach(() => {
    now = 0;
    asked = [];
    source = new Map([
      ['a', 'A1'],
      ['b', 'B1'],
    ]);
  });

  it('asks once for what many want at the same time, and then answers at once', async () => {
    const cache = create();
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['A1', 'A1']);
    expect(cache.get('a')).toBe('A1');
    expect(asked).toEqual(['a']);
  });

  it('refreshes a key in use in the background, before it is stale', async () => {
    const cache = create();
    await cache.get('a');
    source?.set('a', 'A2');
    now = 600;
    expect(cache.get('a')).toBe('A1');
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(cache.get('a')).toBe('A2');
    expect(asked).toEqual(['a', 'a']);
  });

  it('never gives an answer that is a second old while the source can be asked', async () => {
    const cache = create();
    await cache.get('a');
    source?.set('a', 'A2');
    now = 1_000;
    expect(await cache.get('a')).toBe('A2');
  });

  it('keeps the value that it knows where a fresh one says the same', async () => {
    let revision = 1;
    const cache = new RefreshAheadCache<{ revision: number }>({
      weightMax: 10,
      freshMs: 1_000,
      staleMs: 60_000,
      now: () => now,
      load: async () => ({ revision }),
      isSame: (known, fresh) => known.revision === fresh.revision,
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

  it('tells of every look-up whether its answer was at hand', async () => {
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

  it('does not remember that there was nothing', async () => {
    const cache = create();
    expect(await cache.get('new')).toBeUndefined();
    source?.set('new', 'N');
    expect(await cache.get('new')).toBe('N');
  });

  it('forgets what the source no longer has', async () => {
    const cache = create();
    await cache.get('a');
    source?.delete('a');
    now = 1_000;
    expect(await cache.get('a')).toBeUndefined();
    expect(await cache.get('a')).toBeUndefined();
  });

  it('gives what was last known while the source does not answer, for some time', async () => {
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

  it('does not wait again right after a failure, and trusts the source once it answers', async () => {
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

  it('gives no old answer for one key because another could not be asked for', async () => {
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

  it('does not take a defect for an outage', async () => {
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

  it('waits no longer than an answer is fresh for a source that hangs', async () => {
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

  it('waits for a source that hangs once, however long it hangs', async () => {
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
    failures[0]?.(databaseUnavailable(new Error('no answer')));
    vi.useRealTimers();
    await new Promise(setImmediate);
    // Now the next question hangs.
    for (; now < 11_000; now += 500) expect(cache.get('a')).toBe('A1');
    expect(failures).toHaveLength(2);
  });

  it('holds no more than it may, and lets go of the least used', async () => {
    const cache = create(2);
    source?.set('c', 'C');
    await cache.get('a');
    await cache.get('b');
    now = 1_000;
    await cache.get('a');
    await cache.get('c');
    asked = [];
    cache.get('a');
    cache.get('c');
    expect(asked).toEqual([]);
    await cache.get('b');
    expect(asked).toEqual(['b']);
  });

  describe('after a write', () => {
    it('asks for what it forgot, at once', async () => {
      const cache = create();
      await cache.get('a');
      source?.set('a', 'A2');
      cache.invalidate('a');
      cache.invalidate('never asked for');
      expect(await cache.get('a')).toBe('A2');
      expect(asked).toEqual(['a', 'a']);
    });

    it('does not remember what was asked for before it, however late the answer comes', async () => {
      const answers: ((value: string) => void)[] = [];
      const cache = new RefreshAheadCache<string>({
        weightMax: 10,
        freshMs: 1_000,
        staleMs: 60_000,
        now: () => now,
        load: () => new Promise((resolve) => answers.push(resolve)),
      });
      const before = cache.get('a');
      cache.invalidate('a');
      const after = cache.get('a');
      answers[1]?.('new');
      expect(await after).toBe('new');
      answers[0]?.('old');
      expect(await before).toBe('old');
      expect(cache.get('a')).toBe('new');
      now = 600;
      cache.get('a');
      cache.markStale('a');
      answers[2]?.('older than the doubt');
      await new Promise(setImmediate);
      const doubted = cache.get('a');
      answers[3]?.('newest');
      expect(await doubted).toBe('newest');
    });

    it('asks for what it doubts, and gives it only while the source does not answer', async () => {
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
      cache.markStale('never asked for');
      await expect(cache.get('never asked for')).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('does not make what it doubts younger', async () => {
      const cache = create();
      await cache.get('a');
      source = undefined;
      now = 59_999;
      cache.markStale('a');
      now = 60_000;
      await expect(cache.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  describe('after a write that concerns several', () => {
    const beginsWith = (letter: string) => (value: string) => value.startsWith(letter);
    const done = () => Promise.resolve('done');
    const failed = () => Promise.reject(new Error('out of reach'));

    it('forgets those, and only those', async () => {
      const cache = create();
      source?.set('also a', 'A9');
      for (const key of ['a', 'b', 'also a']) await cache.get(key);
      expect(await cache.invalidateAfter(done(), beginsWith('A'))).toBe('done');
      asked = [];
      expect(cache.get('b')).toBe('B1');
      source?.set('a', 'A2');
      source?.delete('also a');
      expect(await cache.get('a')).toBe('A2');
      expect(await cache.get('also a')).toBeUndefined();
      expect(asked).toEqual(['a', 'also a']);
    });

    it('does not give what it forgot while the source does not answer', async () => {
      const cache = create();
      await cache.get('a');
      expect(await cache.invalidateAfter(done(), beginsWith('A'))).toBe('done');
      source = undefined;
      await expect(cache.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('counts what it forgot no more', async () => {
      const cache = create(2);
      for (const key of ['a', 'b']) await cache.get(key);
      await cache.invalidateAfter(done(), () => true);
      for (const key of ['a', 'b']) await cache.get(key);
      asked = [];
      expect([cache.get('a'), cache.get('b')]).toEqual(['A1', 'B1']);
      expect(asked).toEqual([]);
    });

    it('doubts those, and gives them only while the source does not answer', async () => {
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
      ['was done', done],
      ['failed', failed],
    ])(
      'does not remember what was asked for before it, since nobody knows what that is about: it %s',
      async (_, write) => {
        const answers: ((value: string) => void)[] = [];
        const cache = new RefreshAheadCache<string>({
          weightMax: 10,
          freshMs: 1_000,
          staleMs: 60_000,
          now: () => now,
          load: () => new Promise((resolve) => answers.push(resolve)),
        });
        const before = cache.get('a');
        await cache.invalidateAfter(write(), () => false).catch(() => {});
        answers[0]?.('old');
        expect(await before).toBe('old');
        const after = cache.get('a');
        answers[1]?.('new');
        expect(await after).toBe('new');
        expect(cache.get('a')).toBe('new');
      },
    );
  });

  describe('that weighs', () => {
    const weighing = (weightMax: number) =>
      new RefreshAheadCache<string>({
        weightMax,
        weigh: (value) => value.length,
        freshMs: 1_000,
        staleMs: 60_000,
        now: () => now,
        async load(key) {
          asked.push(key);
          return source?.get(key);
        },
      });
    const isRemembered = async (cache: RefreshAheadCache<string>, key: string) => {
      asked = [];
      await cache.get(key);
      return asked.length === 0;
    };

    it('lets as many go as the new one needs, the least used first', async () => {
      source = new Map([
        ['a', '333'],
        ['b', '333'],
        ['c', '1'],
        ['d', '55555'],
      ]);
      const cache = weighing(9);
      for (const key of ['a', 'b', 'c', 'd']) await cache.get(key);
      expect(await isRemembered(cache, 'd')).toBe(true);
      expect(await isRemembered(cache, 'c')).toBe(true);
      expect(await isRemembered(cache, 'b')).toBe(true);
      expect(await isRemembered(cache, 'a')).toBe(false);
    });

    it('does not let the others go for one that is too heavy for it', async () => {
      source = new Map([
        ['a', '333'],
        ['b', '333'],
        ['heavy', 'x'.repeat(10)],
      ]);
      const cache = weighing(9);
      for (const key of ['a', 'b', 'heavy']) await cache.get(key);
      expect(await isRemembered(cache, 'heavy')).toBe(false);
      expect(await isRemembered(cache, 'a')).toBe(true);
      expect(await isRemembered(cache, 'b')).toBe(true);
    });

    it('counts what it forgot, replaced or lost no more', async () => {
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
      for (const key of ['x', 'y', 'z']) expect(await isRemembered(cache, key)).toBe(true);
    });
  });

  describe('beside other processes', () => {
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

    it('does not answer what another has overwritten, even while the source is away', async () => {
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

    it('does not wait for a question that was asked before the write of another', async () => {
      const [one, other] = [createShared(), createShared()];
      const before = one.get('a');
      source?.set('a', 'A2');
      other.invalidate('a');
      expect(await one.get('a')).toBe('A2');
      expect(await before).toBe('A1');
      expect(one.get('a')).toBe('A2');
    });

    it('believes what it knows while nobody has written', async () => {
      const one = createShared();
      await one.get('a');
      source = undefined;
      now = 5_000;
      expect(await one.get('a')).toBe('A1');
    });
  });
});
