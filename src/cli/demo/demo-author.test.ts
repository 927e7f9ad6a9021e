import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiConnection, createApiClient } from '../api-client.ts';
import { asDemoAuthor } from './demo-author.ts';

describe('asDemoAuthor', () => {
  let server: Server;
  let connection: ApiConnection;
  /** The account and its keys, as the server has them. */
  let role: string | undefined;
  let keys: Map<string, string>;
  /** Requests that the server rejects, such as "POST /keys". */
  let broken: Set<string>;

  beforeEach(async () => {
    [role, keys, broken] = [undefined, new Map(), new Set()];
    server = createServer(async (request, response) => {
      const body = JSON.parse((await request.toArray()).join('') || '{}');
      const [path = ''] = request.url?.slice('/api/v1'.length).split('?') ?? [];
      const operation = `${request.method} ${path.replace(/(members|keys)\/.*/, '$1/:id')}`;
      const [status, content] = broken.has(operation) ? [500, error(500)] : respond(operation, path, body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    connection = { url, urlSetting: 'PRESETD_URL', key: 'sk-admin', keySetting: 'PRESETD_MANAGEMENT_KEY' };
  });
  afterEach(() => {
    server.close();
    vi.restoreAllMocks();
  });

  function respond(operation: string, path: string, body: Record<string, string>): [number, object] {
    const id = path.split('/').at(-1) ?? '';
    switch (operation) {
      case 'GET /organization/members/:id':
        return role === undefined ? [404, error(404)] : [200, { data: { id: 'user_demo', role } }];
      case 'POST /organization/members':
      case 'PATCH /organization/members/:id':
        role = body.role ?? 'org:member';
        return [200, { data: { id: 'user_demo', role } }];
      case 'GET /keys':
        return [200, { data: [...keys.keys()].map((hash) => ({ hash })) }];
      case 'POST /keys': {
        const hash = randomUUID();
        keys.set(hash, body.creator_user_id ?? '');
        return [201, { data: { hash }, key: `sk-${hash}` }];
      }
      case 'DELETE /keys/:id':
        keys.delete(id);
        return [200, { deleted: true }];
      default:
        return [200, { data: [], total_count: 0 }];
    }
  }
  const error = (code: number) => ({ error: { code, message: `Failed with ${code}.` } });
  const run = (work: Parameters<typeof asDemoAuthor>[2]) =>
    asDemoAuthor(connection, createApiClient(connection), work);

  it('the demo account has rights and keys only while the work runs', async () => {
    keys.set('hash-old', 'user_demo');
    await run(async (author) => {
      await author.createClientFor('user_maya', 'workspace');
      expect(role).toBe('org:admin');
      expect([...keys.values()]).toEqual(['user_demo', 'user_maya']);
    });
    expect([role, keys.size]).toEqual(['org:member', 0]);
  });

  it('an interrupted command sends no other request, cleans up and then dies from the signal', async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const interrupted = run(async (author) => {
      const maya = await author.createClientFor('user_maya', 'workspace');
      process.emit('SIGINT', 'SIGINT');
      for (const client of [author.api, maya])
        await expect(client.call('GET /presets')).rejects.toThrow('Interrupted.');
      expect(kill).not.toHaveBeenCalled();
      return author.api.call('GET /presets');
    });
    await expect(interrupted).rejects.toThrow('Interrupted.');
    expect([role, keys.size]).toEqual(['org:member', 0]);
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGINT');
    expect(process.listenerCount('SIGINT')).toBe(0);
  });

  it('the demo account loses its rights if no key can be created for it', async () => {
    broken.add('POST /keys');
    await expect(run(async () => undefined)).rejects.toThrow();
    expect(role).toBe('org:member');
  });

  it('the demo account loses its rights and a failure is reported if no key can be deleted', async () => {
    broken.add('DELETE /keys/:id');
    await expect(run(async () => expect.fail('original'))).rejects.toThrow('original');
    expect(role).toBe('org:member');
    keys.clear();
    await expect(run(async () => 'done')).rejects.toThrow(/500/);
  });
});
