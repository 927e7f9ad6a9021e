import { afterEach, expect, it, vi } from 'vitest';
import { databaseUnavailable } from '../errors.ts';
import type { ResolvedKey } from './api-key.ts';
import { createAuthenticator, requireUsableKey } from './authenticate.ts';
import type { KeyStore } from './organization-storage.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('a disabled key works for at most a second, or five minutes during a database outage', async () => {
  vi.useFakeTimers();
  const good = {
    id: 'k',
    label: 'sk…1',
    organizationId: null,
    disabled: false,
    expiresAt: null,
  } as ResolvedKey;
  let isDown = false;
  let key = good;
  const find = async () => {
    if (isDown) throw databaseUnavailable(new Error('out of reach'));
    return key;
  };
  const keys = { find } as Partial<KeyStore> as KeyStore;
  const usage = { record: () => {}, flush: async () => {} };
  const { authenticate } = createAuthenticator({
    keys,
    sessions: { find: () => expect.fail() },
    clock: () => new Date().toISOString(),
    sessionIdleMs: 1,
    cacheEntriesMax: 10,
    keyUsage: usage,
    sessionUsage: usage,
  });
  const authenticateNow = async () => authenticate('hash');

  expect(await authenticateNow()).toBe(good);
  key = { ...good, disabled: true };
  isDown = true;
  await vi.advanceTimersByTimeAsync(299_000);
  expect(await authenticateNow()).toBe(good);
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(authenticateNow()).rejects.toMatchObject({ kind: 'unavailable' });

  isDown = false;
  key = good;
  expect(await authenticateNow()).toBe(good);
  key = { ...good, disabled: true };
  await vi.advanceTimersByTimeAsync(1_001);
  await expect(authenticateNow()).rejects.toMatchObject({ kind: 'unauthenticated' });
});

it.each(['expiresAt', 'secretExpiresAt'] as const)(
  'a key is rejected from its %s on, and accepted a millisecond before',
  (end) => {
    const unlimited = {
      id: 'k',
      label: 'sk…1',
      organizationId: null,
      expiresAt: null,
      secretExpiresAt: null,
    };
    const key: ResolvedKey = { ...(unlimited as ResolvedKey), [end]: '2026-01-02T00:00:00.000Z' };
    expect(requireUsableKey(key, () => '2026-01-01T23:59:59.999Z')).toBe(key);
    for (const now of ['2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.001Z'])
      expect(() => requireUsableKey(key, () => now)).toThrow(/expired/);
  },
);
