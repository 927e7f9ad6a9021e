import { beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseUnavailable } from './errors.ts';
import { FreshCache } from './fresh-cache.ts';

describe('FreshCache', () => {
  let now = 0;
  let asked: string[] = [];
  let source: Map<string, string> | undefined;
  const create = (weightMax = 10) =>
    new FreshCache<string>({
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
    const cache = new FreshCache<string>({
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
    const cache = new FreshCache<string>({
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
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('A1');
    expect(cache.get('a')).toBe('A1');
    vi.useRealTimers();
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
});
