import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ConcurrencyLimiter } from '../concurrency/concurrency-limiter.ts';
import { overloaded } from '../errors.ts';
import { normalizePassword } from './password-rules.ts';

/**
 * Hashes passwords with Argon2id and stores its parameters with each hash, in the format of the
 * Password Hashing Competition: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.
 *
 * A hash takes 19 MiB and a thread of the pool that file access needs too, so only two run at once.
 * A bounded number waits; beyond it, `hash` and `verify` reject with `unavailable`. The server
 * creates one hasher per process.
 */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /**
   * Whether the password belongs to the stored hash. Without one it takes the same time and returns
   * false, so that the time does not tell whether an account exists.
   */
  verify(password: string, stored: string | null): Promise<boolean>;
}

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The minimum that OWASP recommends for Argon2id. */
const current: Parameters = { memory: 19_456, passes: 2, parallelism: 1 };

const hashesAtOnce = 2;
const hashesWaitingMax = 64;

export function createPasswordHasher(parameters = current): PasswordHasher {
  const limiter = new ConcurrencyLimiter(hashesAtOnce, hashesWaitingMax);
  const unknown = encode(parameters, randomBytes(16), randomBytes(32));
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((resolve, reject) => {
      if (!limiter.acquire(resolve)) reject(overloaded());
    });
    try {
      return await work();
    } finally {
      limiter.release();
    }
  };
  return {
    hash: (password) =>
      limited(async () => {
        const salt = randomBytes(16);
        return encode(parameters, salt, await derive(password, salt, 32, parameters));
      }),
    verify: (password, stored) =>
      limited(async () => {
        const { salt, hash, ...storedParameters } = decode(stored ?? unknown);
        const derived = await derive(password, salt, hash.length, storedParameters);
        return timingSafeEqual(derived, hash) && stored !== null;
      }),
  };
}

const deriveKey = promisify(argon2);

function derive(password: string, salt: Buffer, bytes: number, parameters: Parameters): Promise<Buffer> {
  const message = Buffer.from(normalizePassword(password));
  return deriveKey('argon2id', { message, nonce: salt, tagLength: bytes, ...parameters });
}

function encode({ memory, passes, parallelism }: Parameters, salt: Buffer, hash: Buffer): string {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${saltText}$${hashText}`;
}

const format = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

function decode(text: string): Parameters & { readonly salt: Buffer; readonly hash: Buffer } {
  const [, memory, passes, parallelism, salt = '', hash = ''] = format.exec(text) ?? [];
  if (memory === undefined) throw new Error('a stored password hash is not in the format of Argon2id');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}
