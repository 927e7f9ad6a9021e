import { PresetdError } from '../../core/errors.ts';
import { FixedWindowCounter } from '../../core/fixed-window-counter.ts';
import { addressBucket } from '../protocol/client-address.ts';

interface FailedAuthenticationsOptions {
  /** Failures an address may have per minute, counted from its first failure; 0 means no limit. */
  readonly limit: number;
  readonly addressesMax?: number;
  readonly now?: () => number;
  /** Called for every failure in this process, so that it can be shared with other workers. */
  readonly onFailure?: (address: string) => void;
}

/**
 * Counts failed authentications by client address, and blocks an address that reaches the limit.
 *
 * The composition root creates one instance per process; workers exchange failures through
 * `onFailure` and `addRemote`, so that all of them block the same addresses. An address is blocked
 * until a minute after its first failure; failing again neither shortens nor extends the block.
 *
 * Memory is bounded: past `addressesMax` addresses, the one whose minute began first is evicted.
 * While nothing is blocked, a check costs one comparison.
 */
export class FailedAuthentications {
  readonly limit: number;
  readonly #now: () => number;
  readonly #onFailure: (address: string) => void;
  readonly #failures: FixedWindowCounter;
  /** When the last block ends; 0 while no address is blocked. */
  #blockingUntil = 0;

  constructor({
    limit,
    addressesMax = 10_000,
    now = () => performance.now(),
    onFailure = () => {},
  }: FailedAuthenticationsOptions) {
    this.limit = limit;
    this.#now = now;
    this.#onFailure = onFailure;
    this.#failures = new FixedWindowCounter({ keysMax: addressesMax, now });
  }

  /** Whether any address may be blocked. False is certain and lets callers skip the lookup. */
  get isBlocking(): boolean {
    if (this.#blockingUntil === 0) return false;
    if (this.#now() >= this.#blockingUntil) this.#blockingUntil = 0;
    return this.#blockingUntil !== 0;
  }

  /** Seconds until the address is unblocked, rounded up; 0 if it is not blocked. Counts nothing. */
  secondsBlocked(ip: string): number {
    if (!this.isBlocking) return 0;
    const failures = this.#failures.get(addressBucket(ip));
    if (failures === undefined || failures.count < this.limit) return 0;
    return Math.ceil(failures.resetsInMs / 1_000);
  }

  /** Counts a failure in this process. */
  increment(ip: string): void {
    if (this.limit === 0) return;
    const address = addressBucket(ip);
    this.addRemote(address);
    this.#onFailure(address);
  }

  /** Counts a failure that another worker reported. */
  addRemote(address: string): void {
    const { count, resetsInMs } = this.#failures.increment(address);
    if (count >= this.limit) this.#blockingUntil = Math.max(this.#blockingUntil, this.#now() + resetsInMs);
  }
}

/**
 * Runs an authentication attempt unless the client's address is blocked, and counts the attempt if
 * it fails. If the address becomes blocked while the attempt runs, the caller gets the block
 * instead of the result: otherwise many parallel guesses would all be answered.
 */
export function limitFailedAttempts<Result>(
  failures: FailedAuthentications,
  request: { readonly ip: string },
  attempt: () => Result | Promise<Result>,
  isFailure: (error: unknown) => boolean = isUnauthenticated,
): Result | Promise<Result> {
  if (failures.limit === 0) return attempt();
  // Read now: a connection that closes during the attempt no longer has an address.
  const { ip } = request;
  const succeed = (result: Result) => {
    assertNotBlocked(failures, ip);
    return result;
  };
  const fail = (error: unknown) => {
    assertNotBlocked(failures, ip);
    if (isFailure(error)) failures.increment(ip);
    throw error;
  };
  assertNotBlocked(failures, ip);
  try {
    const result = attempt();
    return result instanceof Promise ? result.then(succeed, fail) : result;
  } catch (error) {
    return fail(error);
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof PresetdError && error.kind === 'unauthenticated';
}

function assertNotBlocked(failures: FailedAuthentications, ip: string): void {
  const seconds = failures.secondsBlocked(ip);
  if (seconds === 0) return;
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`;
  throw new PresetdError(
    'rate_limited',
    `Too many failed authentications from this address. Try again in ${wait}.`,
    { retryAfterSeconds: seconds, limit: failures.limit },
  );
}
