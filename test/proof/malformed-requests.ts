import type { Random } from '../support/random.ts';
import { apiKey, managementKey } from '../support/server.ts';
import type { MutableRequest } from './mutable-request.ts';
import { anyBytes, mutations } from './mutations.ts';

/** A route to send requests to. */
export interface FuzzedRoute {
  readonly method: string;
  /** With all parameters filled in. */
  readonly path: string;
  /** Valid bodies. Empty if the route takes none. */
  readonly bodies: readonly string[];
  readonly contentType: string;
}

export interface MalformedRequest {
  readonly bytes: Buffer;
  /** The changes made to a valid request, in order. */
  readonly changes: readonly string[];
  /**
   * Whether its end is unambiguous, so that it must get a response, however wrong it is. Otherwise
   * the server may be waiting for the rest.
   */
  readonly isComplete: boolean;
}

/**
 * Bytes that are barely a request, or not one at all. `name`, such as `request-7`, becomes its
 * X-Request-Id, which identifies it in the log of the server.
 */
export function malformedRequest(
  random: Random,
  routes: readonly FuzzedRoute[],
  name: string,
): MalformedRequest {
  if (random.below(40) === 0) return { bytes: anyBytes(random), changes: ['anyBytes'], isComplete: false };
  const count = random.pick([1, 1, 1, 1, 2, 3, 5]);
  const requests = Array.from({ length: count }, (_, index) =>
    singleRequest(random, routes, `${name}-${index}`, index === count - 1),
  );
  const changes = requests.flatMap((request) => request.changes);
  const isComplete = requests.every((request) => request.isComplete);
  const bytes = Buffer.concat(requests.map((request) => request.bytes));
  if (random.below(8) > 0) return { bytes, changes, isComplete };
  const [change, changed] = mutateBytes(random, bytes);
  return { bytes: changed, changes: [...changes, change], isComplete: false };
}

function singleRequest(
  random: Random,
  routes: readonly FuzzedRoute[],
  name: string,
  isLast: boolean,
): MalformedRequest {
  const { method, path, bodies, contentType } = random.pick(routes);
  const key = random.pick([apiKey, apiKey, managementKey, managementKey, 'unknown-key-0123456789', '']);
  const body = bodies.length === 0 ? undefined : Buffer.from(random.pick(bodies));
  const request: MutableRequest = {
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
    isComplete: true,
  };
  const changes: string[] = [];
  for (let left = random.pick([0, 1, 1, 1, 2, 3]); left > 0; left -= 1) {
    const [change, mutate] = random.pick(mutations);
    mutate(request, random);
    changes.push(change);
  }
  return { bytes: serialize(request), changes, isComplete: request.isComplete };
}

function serialize({ method, target, version, headers, body, framing, lineEnd }: MutableRequest): Buffer {
  const length: [string, string][] = body === undefined ? [] : [['Content-Length', String(body.length)]];
  const { headers: framingHeaders = length, bytes = body ?? Buffer.alloc(0) } = framing ?? {};
  const lines = [
    [method, target, version].filter((part) => part !== '').join(' '),
    ...[...headers, ...framingHeaders].map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([
    Buffer.from(lines.map((line) => line + lineEnd).join('') + lineEnd, 'latin1'),
    bytes,
  ]);
}

/** Changes bytes regardless of their meaning. */
function mutateBytes(random: Random, bytes: Buffer): readonly [string, Buffer] {
  const at = random.below(bytes.length + 1);
  switch (random.below(5)) {
    case 0:
      return ['end cut off', bytes.subarray(0, at)];
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
        'bytes inserted',
        Buffer.concat([bytes.subarray(0, at), anyBytes(random, 20), bytes.subarray(at)]),
      ];
    default: {
      const end = Math.min(bytes.length, at + 1 + random.below(30));
      return ['bytes removed', Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])];
    }
  }
}
