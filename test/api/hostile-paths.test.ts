import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { engines } from '../support/engines.ts';
import {
  creatingOperations,
  type NamedRequest,
  type Names,
  organizationOperations,
  presetOperations,
} from '../support/every-operation.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';

const operations = { ...organizationOperations, ...presetOperations, ...creatingOperations };

describe.each(engines)('a name that was made to do harm on %s', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.stop());

  it.each([
    ['nothing', ''],
    ['U+0000', '%00'],
    ['U+0000 in an id', `${newId()}%00`],
    ['the folder above', '..'],
    ['the folder above, encoded', '%2e%2e%2f%2e%2e%2f'],
    ['a slash, encoded', 'a%2Fb'],
    ['a slash, encoded twice', 'a%252Fb'],
    ['half of a surrogate pair in UTF-8', '%ED%A0%80'],
    ['bytes that are not UTF-8', '%FF%FE'],
    ['half of an escape', '%4'],
    ['raw bytes', '\xed\xa0\x80\xff'],
    ['something very long', 'x'.repeat(10_000)],
    ['something longer than any name may be', 'x'.repeat(17_000)],
    ['SQL', "'%20OR%201=1;--"],
    ['a pattern', '%25'],
    ['a wild card', '*'],
    ['a line break', 'a%0D%0AX-Evil:%201'],
    ['a property of every object', '__proto__'],
    ['another', 'constructor'],
    ['a query', 'a%3Fb%23c'],
    ['a UUID in braces', `%7B${newId()}%7D`],
    ['an id without hyphens', newId().replaceAll('-', '')],
    ['a number', '9'.repeat(400)],
  ])('is answered: %s', async (_, text) => {
    for (const [operationId, requestsOf] of Object.entries(operations)) {
      for (const request of requestsOf(namesOf(text))) {
        const { status, head, body } = await raw(server, request);
        const place = `${operationId}: ${request.method} ${request.path.slice(0, 100)}`;
        expect([place, status >= 200 && status < 500]).toEqual([place, true]);
        expect(head).not.toMatch(/^x-evil/im);
        if (status >= 400 && request.method !== 'HEAD')
          expect([place, JSON.parse(body).error.code]).toEqual([place, status]);
      }
    }
    expect((await server.get('/readyz', { key: null })).status).toBe(200);
  });
});

function namesOf(text: string): Names {
  return {
    slug: text,
    etag: '"x"',
    idempotencyKey: 'x',
    workspaceId: text,
    workspaceSlug: text,
    keyId: text,
    keyLabel: text,
    secretHash: text,
    retiredSecretHash: text,
    memberId: text,
    memberEmail: text,
    auditCursor: text,
  };
}

/** As it is: whatever speaks HTTP for us would tidy the path up. */
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
  const answer = (await buffer(socket)).toString('utf8');
  const end = answer.indexOf('\r\n\r\n');
  return { status: Number(answer.slice(9, 12)), head: answer.slice(0, end), body: answer.slice(end + 4) };
}
