import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly known: readonly string[];
}

interface Documented {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

// The rule does not depend on the engine.
describe('query parameters', () => {
  let server: TestServer;
  let operations: readonly Operation[];
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    const { body } = await server.get('/openapi.json');
    operations = Object.entries(body.paths as Record<string, Record<string, Documented>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(
            ([method, { tags }]) =>
              path.startsWith('/api/v1/') &&
              !path.startsWith('/api/v1/responses/') &&
              !(method === 'post' && tags.includes('Inference')),
          )
          .map(([method, { parameters = [] }]) => ({
            method: method.toUpperCase(),
            path: path.replaceAll(/\{[^}]+\}/g, '1'),
            known: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
          })),
    );
  });
  afterAll(() => server.stop());

  it('a capture with the dry-run header of calls is rejected', async () => {
    const path = '/api/v1/presets/dry/chat/completions';
    const headers = { 'x-presetd-dry-run': 'true' };
    const { status, body } = await server.post(path, { messages: [] }, { headers });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('?dry_run=true')]);
    expect((await server.get('/api/v1/presets/dry')).status).toBe(404);
  });

  const isRead = ({ method }: Operation) => method === 'GET' || method === 'HEAD';
  const send = (operation: Pick<Operation, 'method' | 'path'>, query: string) =>
    server.send(operation.method, `${operation.path}?${query}`, undefined, { key: managementKey });
  const issuesOf = (body: {
    error?: { metadata?: { issues?: readonly { path: string; message: string }[] } };
  }) => body.error?.metadata?.issues ?? [];
  const variantsOf = (name: string) =>
    [
      name.toUpperCase(),
      `${name}[]`,
      `${name}[0]`,
      name.replaceAll('_', ''),
      name.replaceAll('_', '-'),
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    ].filter((variant, index, all) => variant !== name && all.indexOf(variant) === index);

  it('every operation that changes something rejects unknown query parameters', async () => {
    const writes = operations.filter((operation) => !isRead(operation));
    expect(writes.length).toBeGreaterThan(20);
    for (const operation of writes) {
      const { status, body } = await send(operation, 'zzz=1&yyy%2F=2');
      expect([operation, status, issuesOf(body).map(({ path }) => path)]).toEqual([
        operation,
        400,
        ['/zzz', '/yyy~1'],
      ]);
      expect(body.error.message).toContain('/zzz');
    }
  });

  it('every operation rejects near-misses of its query parameters and suggests the right name', async () => {
    let tried = 0;
    for (const operation of operations) {
      const variants = operation.known.flatMap((name) =>
        variantsOf(name).map((variant) => ({ name, variant })),
      );
      tried += variants.length;
      const responses = await Promise.all(
        variants.map(({ variant }) => send(operation, `${encodeURIComponent(variant)}=1`)),
      );
      expect([operation, responses.map(({ status, body }) => [status, ...issuesOf(body)])]).toEqual([
        operation,
        variants.map(({ name, variant }) => [
          400,
          { path: `/${variant}`, message: `is not a known query parameter (did you mean ${name}?)` },
        ]),
      ]);
    }
    expect(tried).toBeGreaterThan(100);
  });

  it('every read ignores other unknown query parameters', async () => {
    const reads = operations.filter(isRead);
    expect(reads.length).toBeGreaterThan(10);
    for (const operation of reads) {
      const { status, body } = await send(operation, 'zzz=1&workspace_ids=2&beta=true');
      expect([operation, status === 400 ? issuesOf(body) : []]).toEqual([
        operation,
        // Other issues, such as made-up ids in the path, are allowed.
        expect.not.arrayContaining([
          expect.objectContaining({ path: expect.stringMatching(/zzz|ids|beta/) }),
        ]),
      ]);
    }
  });

  it('a list of presets with ?tags= is rejected, because it would not be filtered', async () => {
    const { status, body } = await send({ method: 'GET', path: '/api/v1/presets' }, 'tags=support');
    expect([status, issuesOf(body)]).toEqual([
      400,
      [{ path: '/tags', message: 'is not a known query parameter (did you mean tag?)' }],
    ]);
  });

  it('every operation rejects a repeated query parameter', async () => {
    for (const operation of operations)
      for (const name of operation.known) {
        const { status, body } = await send(operation, `${name}=1&${name}=1&${name}=2`);
        expect([operation, status, issuesOf(body)]).toEqual([
          operation,
          400,
          [{ path: `/${name}`, message: 'must be given once, not 3 times' }],
        ]);
      }
  });

  it.each([
    ['WORKSPACE_ID', '(did you mean workspace_id?)'],
    ['workspce_id', '(did you mean workspace_id?)'],
    ['dry_rum', '(did you mean dry_run?)'],
    ['temperature', '(known: workspace_id, dry_run)'],
  ])(
    'a capture with the query parameter %s is rejected with the hint %s and writes nothing',
    async (name, hint) => {
      const { status, body } = await server.post(
        `/api/v1/presets/target/responses?${name}=1`,
        {},
        { key: managementKey },
      );
      expect([status, issuesOf(body)]).toEqual([
        400,
        [{ path: `/${name}`, message: `is not a known query parameter ${hint}` }],
      ]);
      expect((await server.get('/api/v1/presets/target')).status).toBe(404);
    },
  );

  it('a request without a valid key gets 401 before its query is checked', async () => {
    const { status } = await server.send('DELETE', '/api/v1/presets/target?zzz=1', undefined, {
      key: 'nobody',
    });
    expect(status).toBe(401);
  });

  it('an operation without query parameters says that it has none', async () => {
    const { body } = await send({ method: 'DELETE', path: '/api/v1/keys/1' }, 'workspace_id=1');
    expect(issuesOf(body)).toEqual([
      { path: '/workspace_id', message: 'is not a known query parameter (this operation has none)' },
    ]);
  });
});
