import type { Random } from '../support/random.ts';
import { apiKey, managementKey } from '../support/server.ts';
import type { Mutable } from './mutable-request.ts';
import { anyBytes, mutations } from './mutations.ts';

/** A route with what can be sent to it. */
export interface FuzzedRoute {
  readonly method: string;
  /** Without a name that would have to be filled in. */
  readonly path: string;
  /** Bodies that it would take. Empty where it takes none. */
  readonly bodies: readonly string[];
  readonly contentType: string;
}

export interface MalformedRequest {
  readonly bytes: Buffer;
  /** What was done to a good request, one after the other. */
  readonly changes: readonly string[];
  /**
   * Whether it says by itself where it ends, so that it has to be answered however wrong it is. Of any other the server
   * may be waiting for the rest.
   */
  readonly isWhole: boolean;
}

/** Something that is not, or just barely, a request. Names of the kind `request-7` tell of it in the log of the server. */
export function malformedRequest(
  random: Random,
  routes: readonly FuzzedRoute[],
  name: string,
): MalformedRequest {
  if (random.below(40) === 0) return { bytes: anyBytes(random), changes: ['anyBytes'], isWhole: false };
  const count = random.pick([1, 1, 1, 1, 2, 3, 5]);
  const made = Array.from({ length: count }, (_, place) =>
    oneRequest(random, routes, `${name}-${place}`, place === count - 1),
  );
  const requests = made.map(({ bytes }) => bytes);
  const changes = made.flatMap((request) => request.changes);
  const isWhole = made.every((request) => request.isWhole);
  const bytes = Buffer.concat(requests);
  if (random.below(8) > 0) return { bytes, changes, isWhole };
  const [change, changed] = mutateBytes(random, bytes);
  return { bytes: changed, changes: [...changes, change], isWhole: false };
}

function oneRequest(
  random: Random,
  routes: readonly FuzzedRoute[],
  name: string,
  isLast: boolean,
): MalformedRequest {
  const { method, path, bodies, contentType } = random.pick(routes);
  const key = random.pick([apiKey, apiKey, managementKey, managementKey, 'unknown-key-0123456789', '']);
  const body = bodies.length === 0 ? undefined : Buffer.from(random.pick(bodies));
  const request: Mutable = {
    method,
    target: path,
    version: 'HTTP/1.1',
    headers: [
      ['Host', 'localhost'],
      ...(key === '' ? [] : [['Authorization', `Bearer ${key}`] as [string, string]]),
      ...(body === undefined ? [] : [['Content-Type', contentType] as [string, string]]),
      ['X-Request-Id', name],
      ...(isLast ? [['Connection', 'close'] as [string, string]] : []),
    ],
    body,
    framing: undefined,
    lineEnd: '\r\n',
    isWhole: true,
  };
  const changes: string[] = [];
  for (let left = random.pick([0, 1, 1, 1, 2, 3]); left > 0; left -= 1) {
    const [change, mutate] = random.pick(mutations);
    mutate(request, random);
    changes.push(change);
  }
  return { bytes: written(request), changes, isWhole: request.isWhole };
}

function written({ method, target, version, headers, body, framing, lineEnd }: Mutable): Buffer {
  const length: [string, string][] = body === undefined ? [] : [['Content-Length', String(body.length)]];
  const { headers: own = length, bytes = body ?? Buffer.alloc(0) } = framing ?? {};
  const lines = [
    [method, target, version].filter((part) => part !== '').join(' '),
    ...[...headers, ...own].map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([
    Buffer.from(lines.map((line) => line + lineEnd).join('') + lineEnd, 'latin1'),
    bytes,
  ]);
}

/** Without regard to what the bytes mean. */
function mutateBytes(random: Random, bytes: Buffer): readonly [string, Buffer] {
  const at = random.below(bytes.length + 1);
  switch (random.below(5)) {
    case 0:
      return ['cut off', bytes.subarray(0, at)];
    case 1:
      return ['beginning cut off', bytes.subarray(at)];
    case 2: {
      const flipped = Buffer.from(bytes);
      for (let left = 1 + random.below(8); left > 0 && flipped.length > 0; left -= 1)
        flipped[random.below(flipped.length)] = random.below(256);
      return ['bytes replaced', flipped];
    }
    case 3:
      return [
        'bytes put in',
        Buffer.concat([bytes.subarray(0, at), anyBytes(random, 20), bytes.subarray(at)]),
      ];
    default: {
      const end = Math.min(bytes.length, at + 1 + random.below(30));
      return ['bytes taken out', Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])];
    }
  }
}
