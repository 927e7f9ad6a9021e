import { afterEach, expect, it, vi } from 'vitest';
import { adminCaller } from '../../../test/support/callers.ts';
import { databaseUnavailable } from '../errors.ts';
import { type Authenticator, type AuthenticatorOptions, createAuthenticator } from './authenticate.ts';
import type { Caller, ResolvedKey } from './caller.ts';
import { requireUsableKey } from './usable-caller.ts';

afterEach(() => {
  vi.useRealTimers();
});

function authenticatorOf(
  keys: AuthenticatorOptions['keys'],
  findSession: AuthenticatorOptions['sessions']['find'] = () => expect.fail(),
): Authenticator {
  const usage = { record: () => {} };
  return createAuthenticator({
    keys,
    sessions: { find: findSession },
    clock: () => '2026-01-01T00:00:00.000Z',
    sessionIdleMs: 1,
    cacheEntriesMax: 10,
    keyUses: usage,
    sessionUses: usage,
  });
}

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
  const { authenticate } = authenticatorOf({ find, recordFirstUse: () => expect.fail() });
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

it('the first use of a key by somebody who was never active is stored before the key is accepted', async () => {
  const stored = Promise.withResolvers<void>();
  const recordFirstUse = vi.fn(() => stored.promise);
  const key = { ...adminCaller, isOwnerNew: true };
  const find = async (hash: string) => (hash === 'disabled' ? { ...key, disabled: true } : key);
  const { authenticate } = authenticatorOf({ find, recordFirstUse });
  await expect(authenticate('disabled')).rejects.toMatchObject({ kind: 'unauthenticated' });
  expect(recordFirstUse).not.toHaveBeenCalled();
  let accepted = 0;
  const uses = [1, 2].map(async () => {
    await authenticate('hash');
    accepted += 1;
  });
  await expect.poll(() => recordFirstUse.mock.calls.length).toBeGreaterThan(0);
  expect([accepted, recordFirstUse.mock.calls]).toEqual([0, [[key, '2026-01-01T00:00:00.000Z']]]);
  stored.resolve();
  await Promise.all(uses);
});

it('the key of somebody who was active before is accepted without a write', async () => {
  const { authenticate } = authenticatorOf({
    find: async () => adminCaller,
    recordFirstUse: () => expect.fail(),
  });
  expect(await authenticate('hash')).toBe(adminCaller);
});

it('a caller with a rotated secret is found again until that expires, and then no longer', async () => {
  const { reauthenticate } = authenticatorOf({
    find: async () => adminCaller,
    recordFirstUse: () => expect.fail(),
  });
  const withSecretUntil = (secretExpiresAt: string) => reauthenticate({ ...adminCaller, secretExpiresAt });
  expect(await reauthenticate(adminCaller)).toBe(adminCaller);
  expect(await withSecretUntil('2026-01-01T00:00:00.001Z')).toBe(adminCaller);
  await expect(withSecretUntil('2026-01-01T00:00:00.000Z')).rejects.toMatchObject({
    kind: 'unauthenticated',
  });
});

it('a session is looked up again as a session', async () => {
  const findSession = vi.fn(async () => undefined);
  const keys = { find: () => expect.fail(), recordFirstUse: () => expect.fail() };
  const { reauthenticate } = authenticatorOf(keys, findSession);
  const session = { kind: 'session', secretHash: 'hash' } as Caller;
  await expect(reauthenticate(session)).rejects.toMatchObject({ kind: 'unauthenticated' });
  expect(findSession).toHaveBeenCalledWith('hash');
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
