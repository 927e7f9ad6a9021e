import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordCalls } from '../support/call-records.ts';
import { anyEngine } from '../support/engines.ts';
import { makeKey, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(anyEngine);
});
afterAll(() => server.stop());

it('a key only learns whether a preset exists in its own workspace', async () => {
  const workspaceId = await makeWorkspace(server, 'other');
  const { secret } = await makeKey(server, { workspace_id: workspaceId });
  for (const [slug, key] of [
    ['theirs', apiKey],
    ['both', apiKey],
    ['both', secret],
  ] as const)
    await server.post(`/api/v1/presets/${slug}/responses`, { model: 'm' }, { key });
  const ask = async (key: string) => {
    const filters = [{ field: 'preset', operator: 'in', value: ['theirs', 'both', 'none'] }];
    const query = { metrics: ['request_count'], filters };
    return (await server.post('/api/v1/analytics/query', query, { key })).body.data.warnings;
  };
  expect(await ask(secret)).toEqual(['No preset has the slug theirs, none.']);
  // For an admin, one slug is found twice, which does not hide that another is missing.
  expect(await ask(managementKey)).toEqual(['No preset has the slug none.']);
});

it('the activity of a day has all rows, however many models were called', async () => {
  const models = Array.from({ length: 10_001 }, (_, index) => `model ${index}`);
  await recordCalls(
    server,
    models.map((model) => ({ group: { model } })),
  );
  const date = new Date().toISOString().slice(0, 10);
  const { body } = await server.get(`/api/v1/activity?date=${date}`, { key: managementKey });
  expect(body.data).toHaveLength(models.length);
  const { body: credits } = await server.get('/api/v1/credits', { key: managementKey });
  expect(credits.data.total_usage).toBeCloseTo(models.length * 0.000_003, 9);
});
