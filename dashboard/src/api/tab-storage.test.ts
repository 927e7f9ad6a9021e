import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readItem, removeDrafts, resultPrefix, storeItem } from './tab-storage.ts';

const quota = 100;

/** Items are properties, as in a browser. */
class LimitedStorage {
  [name: string]: unknown;
  getItem(name: string) {
    return this[name] ?? null;
  }
  setItem(name: string, value: string) {
    const used = Object.entries(this).reduce((sum, [, item]) => sum + String(item).length, 0);
    if (used + value.length > quota) throw new Error('QuotaExceededError');
    this[name] = value;
  }
  removeItem(name: string) {
    delete this[name];
  }
}

describe('the storage of a tab', () => {
  beforeEach(() => void vi.stubGlobal('sessionStorage', new LimitedStorage()));
  afterEach(() => {
    removeDrafts();
    vi.unstubAllGlobals();
  });

  test('drops results to make room for a draft', () => {
    expect(storeItem(`${resultPrefix}a`, 'r'.repeat(80))).toBe(true);
    expect(storeItem('draft.a', 'd'.repeat(80))).toBe(true);
    expect(readItem(`${resultPrefix}a`)).toBeUndefined();
    expect(readItem('draft.a')).toBe('d'.repeat(80));
  });

  test('drops the results of other presets to make room for newer ones, but no draft', () => {
    storeItem('draft.a', 'd'.repeat(30));
    storeItem(`${resultPrefix}a`, 'r'.repeat(60));
    expect(storeItem(`${resultPrefix}b`, 'r'.repeat(60))).toBe(true);
    expect(readItem(`${resultPrefix}a`)).toBeUndefined();
    expect(readItem('draft.a')).toBe('d'.repeat(30));
    expect(storeItem(`${resultPrefix}b`, 'r'.repeat(90))).toBe(false);
    expect(readItem('draft.a')).toBe('d'.repeat(30));
  });

  test('loses results and drafts on sign-out', () => {
    storeItem('draft.a', 'd');
    storeItem(`${resultPrefix}a`, 'r');
    storeItem(`${resultPrefix}b`, 'r'.repeat(200));
    removeDrafts();
    expect(
      ['draft.a', `${resultPrefix}a`, `${resultPrefix}b`].map((name) => readItem(name as 'key')),
    ).toEqual([undefined, undefined, undefined]);
  });
});
