import { isIP } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';

interface Minute {
  failures: number;
  readonly endsAt: number;
}

export interface FailedAuthenticationsOptions {
  /** How many an address may have in a minute, which begins with the first of them; 0 is no limit. */
  readonly limit: number;
  readonly addressesMax?: number;
  readonly now?: () => number;
}

/**
 * Counts by address how often no good key came with a request. An address that has used up its limit is blocked until
 * its minute is over. Asking does not count, which is why this is not left to @fastify/rate-limit: it can neither say
 * at once whether an address is blocked, nor whether any is.
 */
export class FailedAuthentications {
  readonly limit: number;
  readonly #addressesMax: number;
  readonly #now: () => number;
  // In the order in which the minutes began, so that the first is the oldest.
  readonly #minutes = new Map<string, Minute>();
  /** When no address will be blocked any more; 0 while none is, so that asking costs a comparison. */
  #blockingUntil = 0;

  constructor({ limit, addressesMax = 10_000, now = () => performance.now() }: FailedAuthenticationsOptions) {
    this.limit = limit;
    this.#addressesMax = addressesMax;
    this.#now = now;
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
    const minute = this.#minutes.get(countedAddress(ip));
    if (minute === undefined || minute.failures < this.limit) return 0;
    return Math.max(0, Math.ceil((minute.endsAt - this.#now()) / 1_000));
  }

  add(ip: string): void {
    if (this.limit === 0) return;
    const minute = this.#minuteOf(countedAddress(ip));
    minute.failures += 1;
    if (minute.failures >= this.limit) this.#blockingUntil = Math.max(this.#blockingUntil, minute.endsAt);
  }

  #minuteOf(address: string): Minute {
    const now = this.#now();
    const known = this.#minutes.get(address);
    if (known !== undefined && now < known.endsAt) return known;
    const minute = { failures: 0, endsAt: now + 60_000 };
    this.#minutes.delete(address);
    this.#minutes.set(address, minute);
    const [oldest] = this.#minutes.keys();
    if (this.#minutes.size > this.#addressesMax && oldest !== undefined) this.#minutes.delete(oldest);
    return minute;
  }
}

/**
 * What one client can hardly change: an IPv6 network is handed out whole, so its first 64 bits count; an IPv4 address is
 * the same when it is written as IPv6. Some proxies add the port, which differs by connection. All that is no address
 * counts as one, so that nobody gains by sending it.
 */
export function countedAddress(text: string): string {
  const withPort = /^(?:\[(?<ipv6>[^\]]+)\](?::\d+)?|(?<ipv4>[\d.]+):\d+)$/.exec(text)?.groups;
  const ip = withPort?.ipv6 ?? withPort?.ipv4 ?? text;
  return isIP(ip) === 0 ? 'unknown' : normalizeIP(ip, 64);
}
