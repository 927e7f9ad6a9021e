import { isIP } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';
import { RequestCounts } from '../core/request-counts.ts';

export interface FailedAuthenticationsOptions {
  /** How many an address may have in a minute, which begins with the first of them; 0 is no limit. */
  readonly limit: number;
  readonly addressesMax?: number;
  readonly now?: () => number;
  /** Told of every failure, for other processes to hear. */
  readonly onFailure?: (address: string) => void;
}

/**
 * Counts by address how often no good key came with a request. An address that has used up its limit is blocked until
 * its minute is over. Asking does not count.
 */
export class FailedAuthentications {
  readonly limit: number;
  readonly #now: () => number;
  readonly #tell: (address: string) => void;
  readonly #failures: RequestCounts;
  /** When no address will be blocked any more; 0 while none is, so that asking costs a comparison. */
  #blockingUntil = 0;

  constructor({
    limit,
    addressesMax = 10_000,
    now = () => performance.now(),
    onFailure: tell = () => {},
  }: FailedAuthenticationsOptions) {
    this.limit = limit;
    this.#now = now;
    this.#tell = tell;
    this.#failures = new RequestCounts({ namesMax: addressesMax, now });
  }

  /** Whether there may be an address that is blocked. */
  get isBlocking(): boolean {
    if (this.#blockingUntil === 0) return false;
    if (this.#now() >= this.#blockingUntil) this.#blockingUntil = 0;
    return this.#blockingUntil !== 0;
  }

  /** How long the address is still blocked, rounded up; 0 when it is not. */
  secondsBlocked(ip: string): number {
    if (!this.isBlocking) return 0;
    const failures = this.#failures.get(addressBucket(ip));
    if (failures === undefined || failures.count < this.limit) return 0;
    return Math.ceil(failures.endsInMs / 1_000);
  }

  add(ip: string): void {
    if (this.limit === 0) return;
    const address = addressBucket(ip);
    this.addRemote(address);
    this.#tell(address);
  }

  /** Counts a failure that another process has told of. */
  addRemote(address: string): void {
    const { count, endsInMs } = this.#failures.add(address);
    if (count >= this.limit) this.#blockingUntil = Math.max(this.#blockingUntil, this.#now() + endsInMs);
  }
}

/**
 * What one client can hardly change: an IPv6 network is handed out whole, so its first 64 bits count; an IPv4 address is
 * the same when it is written as IPv6. Some proxies add the port, which differs by connection. All that is no address
 * counts as one, so that nobody gains by sending it.
 */
export function addressBucket(text: string): string {
  const withPort = /^(?:\[(?<ipv6>[^\]]+)\](?::\d+)?|(?<ipv4>[\d.]+):\d+)$/.exec(text)?.groups;
  const ip = withPort?.ipv6 ?? withPort?.ipv4 ?? text;
  return isIP(ip) === 0 ? 'unknown' : normalizeIP(ip, 64);
}
