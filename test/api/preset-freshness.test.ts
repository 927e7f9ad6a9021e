import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { startServerOn, startTestServer, type TestServer } from '../support/server.ts';

describe.each(engines)('a preset changed by another process on %s', (engine) => {
  let server: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
    second = await startServerOn(server.database);
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  it('a change by another process is visible within a second, and If-Match sees it immediately', async () => {
    await server.post('/api/v1/presets/shared/responses', {});
    for (let round = 1; round <= 3; round += 1) {
      const before = await server.get('/api/v1/presets/shared');
      const change = await second.send('PATCH', '/api/v1/presets/shared', { name: `Name ${round}` });
      const changedAt = performance.now();
      const stale = { 'if-match': before.headers.get('etag') ?? '' };
      const late = await server.send('PATCH', '/api/v1/presets/shared', { name: 'x' }, { headers: stale });
      expect(late.status).toBe(412);
      for (;;) {
        const isLast = performance.now() - changedAt >= 1_000;
        const { text } = await server.get('/api/v1/presets/shared');
        if (text === change.text) break;
        expect([isLast, text]).toEqual([false, before.text]);
      }
    }
  });
});

describe.runIf(engines.includes('postgres'))('an unreachable database', () => {
  let server: TestServer;
  let administrator: pg.Client;
  let name: string;
  beforeAll(async () => {
    server = await startTestServer('postgres');
    name = new URL(server.database.url).pathname.slice(1);
    administrator = new pg.Client({ connectionString: inject('postgresUrl') });
    await administrator.connect();
  });
  afterAll(async () => {
    await administrator.end();
    await server.stop();
  });

  const allowConnections = async (isAllowed: boolean) => {
    await administrator.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isAllowed}`);
    if (!isAllowed)
      await administrator.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
        name,
      ]);
  };

  it('cached presets can be read while the database is unreachable, and written again afterwards', async () => {
    await server.post('/api/v1/presets/warm/responses', { model: 'm' });
    await server.post('/api/v1/presets/cold/responses', { model: 'm' });
    const warm = await server.get('/api/v1/presets/warm');
    // The writer's key must be cached as well.
    const patch = () => server.send('PATCH', '/api/v1/presets/warm', { name: 'Later' });
    await allowConnections(false);
    for (let round = 0; round < 3; round += 1) {
      expect((await patch()).status).toBe(503);
      expect((await server.post('/api/v1/presets/warm/responses', {})).status).toBe(503);
      const during = await server.get('/api/v1/presets/warm');
      expect([during.status, during.text]).toEqual([200, warm.text]);
      expect((await server.get('/api/v1/presets/cold')).status).toBe(503);
    }
    await allowConnections(true);
    const after = await patch();
    expect([after.status, after.body.data.name]).toEqual([200, 'Later']);
    expect((await server.get('/api/v1/presets/warm')).text).toBe(after.text);
    expect((await server.get('/api/v1/presets/cold')).status).toBe(200);
  });
});
