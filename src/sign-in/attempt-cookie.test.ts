import { expect, it } from 'vitest';
import type { SecretStore } from '../core/storage.ts';
import { createAttemptCookies } from './attempt-cookie.ts';

const attempt = {
  state: 'the-state',
  nonce: 'the-nonce',
  codeVerifier: 'the-verifier',
  redirectUri: 'https://presetd.example/sign-in/okta/callback',
};
const start = Date.parse('2026-01-01T00:00:00.000Z');

function createCookies(store = createSecretStore()) {
  let now = start;
  const clock = () => new Date(now).toISOString();
  return {
    ...createAttemptCookies(store, clock),
    advance(seconds: number) {
      now += seconds * 1_000;
    },
  };
}

function createSecretStore(): SecretStore {
  const secrets = new Map<string, string>();
  return {
    async findOrCreate(name, secret) {
      if (!secrets.has(name)) secrets.set(name, secret);
      return secrets.get(name) ?? secret;
    },
  };
}

it('another server on the same database can open a sealed cookie', async () => {
  const store = createSecretStore();
  const value = await createCookies(store).seal('okta', attempt, '/presets');
  expect(await createCookies(store).open('okta', 'the-state', value)).toEqual({
    attempt,
    returnTo: '/presets',
  });
});

it('the cookie shows none of its secrets, differs each time, and fits the size limit', async () => {
  const { seal } = createCookies();
  const values = [await seal('okta', attempt, '/'), await seal('okta', attempt, '/')];
  expect(values[0]).not.toBe(values[1]);
  expect(values[0]).toMatch(/^[\w-]+$/);
  expect(Buffer.from(values[0] ?? '', 'base64url').toString('latin1')).not.toMatch(
    /the-(state|nonce|verifier)/,
  );
  expect((await seal('okta', attempt, `/${'a'.repeat(2_047)}`)).length).toBeLessThan(4_000);
});

it('the cookie does not open for another state or another provider', async () => {
  const { seal, open } = createCookies();
  const value = await seal('okta', attempt, '/');
  expect(await open('okta', 'other', value)).toBeUndefined();
  expect(await open('okta', '', value)).toBeUndefined();
  expect(await open('google', 'the-state', value)).toBeUndefined();
});

it('the cookie does not open with another secret', async () => {
  const value = await createCookies().seal('okta', attempt, '/');
  expect(await createCookies().open('okta', 'the-state', value)).toBeUndefined();
});

it('the cookie works for less than ten minutes', async () => {
  const { seal, open, advance } = createCookies();
  const value = await seal('okta', attempt, '/');
  advance(599);
  expect(await open('okta', 'the-state', value)).toBeDefined();
  advance(1);
  expect(await open('okta', 'the-state', value)).toBeUndefined();
});

it('a changed or truncated cookie is refused', async () => {
  const { seal, open } = createCookies();
  const value = await seal('okta', attempt, '/');
  const bytes = Buffer.from(value, 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(await open('okta', 'the-state', changed.toString('base64url'))).toBeUndefined();
    expect(await open('okta', 'the-state', bytes.subarray(0, index).toString('base64url'))).toBeUndefined();
  }
});

it('a database that fails once is queried again', async () => {
  const store = createSecretStore();
  let failures = 1;
  const { seal } = createCookies({
    async findOrCreate(...parameters) {
      if (failures-- > 0) throw new Error('unreachable');
      return store.findOrCreate(...parameters);
    },
  });
  await expect(seal('okta', attempt, '/')).rejects.toThrow('unreachable');
  expect(await seal('okta', attempt, '/')).toMatch(/./);
});
