import { afterEach, describe, expect, it, vi } from 'vitest';
import { WriteLock } from './write-lock.ts';

/** Records which writers got the lock, in order. */
function createObservedLock() {
  const lock = new WriteLock<string>();
  const granted: string[] = [];
  return {
    lock,
    granted,
    acquire: (writer: string) => void lock.acquire(writer).then(() => granted.push(writer)),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.useRealTimers());

describe('WriteLock', () => {
  it('the write lock goes to one writer at a time, in order', async () => {
    const { lock, granted, acquire } = createObservedLock();
    for (const writer of ['a', 'b', 'c']) acquire(writer);
    await settled();
    expect(granted).toEqual(['a']);
    lock.release('a');
    await settled();
    expect(granted).toEqual(['a', 'b']);
    acquire('a');
    lock.release('b');
    lock.release('c');
    await settled();
    expect(granted).toEqual(['a', 'b', 'c', 'a']);
  });

  it('a writer without the lock cannot release it for another', async () => {
    const { lock, granted, acquire } = createObservedLock();
    acquire('a');
    acquire('b');
    lock.release('b');
    lock.release('c');
    await settled();
    expect(granted).toEqual(['a']);
  });

  it('the write lock skips writers that were released while waiting', async () => {
    const { lock, granted, acquire } = createObservedLock();
    for (const writer of ['a', 'b', 'c']) acquire(writer);
    lock.release('b');
    lock.release('a');
    await settled();
    expect(granted).toEqual(['a', 'c']);
    lock.release('c');
    acquire('d');
    await settled();
    expect(granted).toEqual(['a', 'c', 'd']);
  });

  it('a writer that was released while waiting queues again at the end', async () => {
    const { lock, granted, acquire } = createObservedLock();
    acquire('a');
    acquire('b');
    lock.release('b');
    lock.release('a');
    acquire('c');
    acquire('b');
    await settled();
    expect(granted).toEqual(['a', 'c']);
    lock.release('c');
    await settled();
    expect(granted).toEqual(['a', 'c', 'b']);
  });

  it('the lease of a hanging writer expires, and its late release has no effect', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { lock, granted, acquire } = createObservedLock();
    for (const writer of ['a', 'b', 'c']) acquire(writer);
    vi.advanceTimersByTime(999);
    await settled();
    expect(granted).toEqual(['a']);
    vi.advanceTimersByTime(1);
    await settled();
    expect(granted).toEqual(['a', 'b']);
    lock.release('a');
    await settled();
    expect(granted).toEqual(['a', 'b']);
    lock.release('b');
    await settled();
    expect(granted).toEqual(['a', 'b', 'c']);
  });
});
