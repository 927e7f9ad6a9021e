import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine, strictestEngine } from '../support/engines.ts';
import { creatingOperations, organizationOperations, presetOperations } from '../support/every-operation.ts';
import { type NamedRequest, type Names, unknownNames } from '../support/sample-requests.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';

const operations = { ...organizationOperations, ...presetOperations, ...creatingOperations };

type HostileName = readonly [title: string, text: string];

/** Names that PostgreSQL may reject. SQLite accepts any text. */
const namesThatReachSql: readonly HostileName[] = [
  ['U+0000', '%00'],
  ['U+0000 in an id', `${newId()}%00`],
  ['a lone surrogate in UTF-8', '%ED%A0%80'],
  ['bytes that are not UTF-8', '%FF%FE'],
  ['raw bytes', '\xed\xa0\x80\xff'],
  ['a very long name', 'x'.repeat(10_000)],
  ['SQL', "'%20OR%201=1;--"],
  ['a LIKE pattern', '%25'],
  ['a wildcard', '*'],
  ['a UUID in braces', `%7B${newId()}%7D`],
  ['an id without hyphens', newId().replaceAll('-', '')],
  ['a huge number', '9'.repeat(400)],
];

const otherNames: readonly HostileName[] = [
  ['an empty string', ''],
  ['a parent directory', '..'],
  ['an encoded parent directory', '%2e%2e%2f%2e%2e%2f'],
  ['an encoded slash', 'a%2Fb'],
  ['a doubly encoded slash', 'a%252Fb'],
  ['an incomplete escape', '%4'],
  ['a name over the router limit', 'x'.repeat(17_000)],
  ['a line break', 'a%0D%0AX-Evil:%201'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['a query', 'a%3Fb%23c'],
];

describe.each([
  [strictestEngine, namesThatReachSql],
  [anyEngine, otherNames],
] as const)('hostile names in paths on %s', (engine, hostileNames) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.stop());

  it.each(hostileNames)('every operation handles %s as a name without a server error', async (_, text) => {
    for (const [operationId, requestsOf] of Object.entries(operations)) {
      for (const request of distinct(requestsOf(namesOf(text)), text)) {
        const { status, head, body } = await raw(server, request);
        const label = `${operationId}: ${request.method} ${request.path.slice(0, 100)}`;
        expect([label, status >= 200 && status < 500]).toEqual([label, true]);
        expect(head).not.toMatch(/^x-evil/im);
        if (status >= 400 && request.method !== 'HEAD')
          expect([label, JSON.parse(body).error.code]).toEqual([label, status]);
      }
    }
    expect((await server.get('/readyz', { key: null })).status).toBe(200);
  });
});

/** Many requests have the text in the same places and differ in headers or other fields. */
function distinct(requests: readonly NamedRequest[], text: string): Iterable<NamedRequest> {
  const placesOf = ({ method, path, body }: NamedRequest) => {
    const sent = JSON.stringify(body ?? '');
    return JSON.stringify([method, path, sent.includes(text) ? sent : '']);
  };
  return new Map(requests.map((request) => [placesOf(request), request])).values();
}

/** The text in place of every name. The two that are sent in headers stay valid. */
function namesOf(text: string): Names {
  const { etag, idempotencyKey, ...others } = unknownNames();
  const texts = Object.fromEntries(Object.keys(others).map((name) => [name, text]));
  return { ...others, ...texts, etag, idempotencyKey };
}

/** Over a bare socket, because every HTTP client would normalize the path. */
async function raw(server: TestServer, { method, path, body, headers = {} }: NamedRequest) {
  const sent = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const lines = [
    `${method} /api/v1${path} HTTP/1.1`,
    'host: x',
    'connection: close',
    `authorization: Bearer ${managementKey}`,
    ...Object.entries(body === undefined ? headers : { 'content-type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    `content-length: ${Buffer.byteLength(sent)}`,
  ];
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  socket.write(sent);
  const response = (await buffer(socket)).toString('utf8');
  const end = response.indexOf('\r\n\r\n');
  return {
    status: Number(response.slice(9, 12)),
    head: response.slice(0, end),
    body: response.slice(end + 4),
  };
}
