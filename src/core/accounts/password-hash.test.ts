import { expect, it } from 'vitest';
import { createPasswordHasher } from './password-hash.ts';

const password = 'correct horse battery staple';
const hasher = createPasswordHasher();

it('a password is verified by its hash, and no other password is', async () => {
  const stored = await hasher.hash(password);
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await hasher.verify(password, stored)).toBe(true);
  expect(await hasher.verify(`${password} `, stored)).toBe(false);
  expect(await hasher.verify('', stored)).toBe(false);
});

it('every hash is salted', async () => {
  expect(await hasher.hash(password)).not.toBe(await hasher.hash(password));
});

it('a password is accepted regardless of how its accents are encoded', async () => {
  const stored = await hasher.hash('caf\u00e9 au lait, merci');
  expect(await hasher.verify('cafe\u0301 au lait, merci', stored)).toBe(true);
});

it('a hash of the reference implementation with other parameters is verified', async () => {
  // echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32 -e
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await hasher.verify('password', stored)).toBe(true);
  expect(await hasher.verify('Password', stored)).toBe(false);
});

it('an account without a password is hashed for too, and never matches', async () => {
  // CPU time: unlike wall time, it does not depend on what else the machine does.
  const workOf = async (stored: string | null) => {
    const before = process.cpuUsage();
    expect(await hasher.verify('wrong', stored)).toBe(false);
    return process.cpuUsage(before).user;
  };
  const stored = await hasher.hash(password);
  const [known, unknown] = [await workOf(stored), await workOf(null)];
  expect(unknown).toBeGreaterThan(known / 5);
});

it('work beyond the queue is rejected with unavailable, and later work succeeds', async () => {
  const cheap = createPasswordHasher({ memory: 64, passes: 1, parallelism: 1 });
  const results = await Promise.allSettled(Array.from({ length: 70 }, () => cheap.hash(password)));
  const rejected = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(rejected).toHaveLength(4);
  expect(rejected[0]).toMatchObject({ kind: 'unavailable', retryAfterSeconds: expect.any(Number) });
  expect(await cheap.verify(password, await cheap.hash(password))).toBe(true);
});
