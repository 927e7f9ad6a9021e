import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';

describe.each(engines)('a key that loses its rights during an upload on %s', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.stop());

  /** Sends all but the last byte of a body, after the server has accepted the key. */
  async function begin(secret: string, path: string, body: string): Promise<Socket> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/v1${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${secret}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    );
    const [response] = await once(socket, 'data');
    expect(String(response)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body.slice(0, -1));
    return socket;
  }

  async function end(socket: Socket, body: string): Promise<string> {
    socket.write(body.slice(-1));
    let text = '';
    for await (const chunk of socket) text += chunk;
    return text;
  }

  const bodies: readonly [string, (ownerId: string) => string][] = [
    ['/organization/members', () => '{"email":"planted@example.com","role":"org:admin"}'],
    ['/keys', (ownerId) => `{"name":"planted","kind":"management","creator_user_id":"${ownerId}"}`],
    ['/workspaces', () => '{"name":"planted","slug":"planted"}'],
    ['/presets/planted/responses', () => '{"model":"planted"}'],
  ];

  it.each([
    ['removed', 'DELETE', undefined, 403],
    ['made an org:member', 'PATCH', { role: 'org:member' }, 403],
  ])(
    'a request in flight changes nothing once the owner of its key is %s',
    async (how, method, change, status) => {
      const id = await makeMember(server, `eve-${method}@example.com`, { role: 'org:admin' });
      const { secret } = await makeKey(server, { kind: 'management', creator_user_id: id });
      const [{ id: ownerId }] = (await server.get('/api/v1/organization/members')).body.data;
      const begun = await Promise.all(
        bodies.map(async ([path, bodyFor]) => {
          const body = bodyFor(ownerId);
          return { path, body, socket: await begin(secret, path, body) };
        }),
      );
      const done = await server.send(method, `/api/v1/organization/members/${id}`, change, {
        key: managementKey,
      });
      expect([how, done.status]).toEqual([how, 200]);
      for (const { path, body, socket } of begun) {
        // An org:member can still write presets in the default workspace.
        const expected = path.startsWith('/presets') && method === 'PATCH' ? 200 : status;
        expect([path, await end(socket, body)]).toEqual([
          path,
          expect.stringMatching(`^HTTP/1.1 ${expected} `),
        ]);
      }
      expect((await server.get('/api/v1/organization/members/planted@example.com')).status).toBe(404);
      expect((await server.get('/api/v1/workspaces/planted')).status).toBe(404);
      expect((await server.get('/api/v1/keys')).text).not.toContain('planted');
    },
  );
});
