import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { apiKey, startTestServer, type TestServer } from '../support/server.ts';

const paths = { chat: 'chat/completions', messages: 'messages', responses: 'responses' } as const;
const conversation = [{ role: 'user', content: 'Hello' }];
const requests = {
  chat: { model: 'm', messages: conversation },
  messages: { model: 'm', max_tokens: 9, messages: conversation },
  responses: { model: 'm', input: 'Hello' },
} as const;

describe.each(engines)('the presetd object of a capture on %s', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.stop());

  const push = (slug: string, presetd?: unknown, headers: Record<string, string> = {}) =>
    server.post(
      `/api/v1/presets/${slug}/responses`,
      { ...requests.responses, ...(presetd !== undefined && { presetd }) },
      { headers },
    );
  const get = async (path: string) =>
    (await server.get(`/api/v1/presets/${path}`, { key: apiKey })).body.data;

  it.each(Object.keys(paths) as (keyof typeof paths)[])('is saved from a %s request', async (dialect) => {
    const presetd = { note: 'First: "quoted"\nand 🙂' };
    const slug = `from-${dialect}`;
    const body = { ...requests[dialect], presetd };
    const created = await server.post(`/api/v1/presets/${slug}/${paths[dialect]}`, body);
    expect(created.status).toBe(200);
    expect(created.headers.get('x-presetd-ignored-fields')).toBeNull();
    expect(created.headers.get('x-presetd-preset')).toBe(`${slug}@1`);
    expect(created.text).not.toContain('presetd');
    expect((await get(`${slug}/versions/1`)).presetd).toEqual(presetd);
    expect((await get(`${slug}/versions`))[0].presetd).toEqual(presetd);
    expect((await get(`${slug}/events`))[0]).toMatchObject({
      kind: 'preset.created',
      after: { version: 1, designated_version: 1, note: presetd.note },
    });
  });

  it.each(Object.keys(paths) as (keyof typeof paths)[])(
    'a %s call that passes values to a preset can be captured, without the values',
    async (dialect) => {
      const prompt = { prompt_id: 'other', version: 2, variables: { customer: 'Ada' } };
      const path = `/api/v1/presets/with-values-${dialect}/${paths[dialect]}`;
      const { status, body, headers } = await server.post(path, { ...requests[dialect], prompt });
      expect([status, headers.get('x-presetd-ignored-fields')]).toEqual([200, null]);
      expect(body.data.designated_version.config).not.toHaveProperty('prompt');
      const preview = await server.post(`${path}?dry_run=true`, { ...requests[dialect], prompt });
      expect(preview.body.left_out).toContainEqual(
        expect.objectContaining({ field: 'prompt', reason: 'preset' }),
      );
    },
  );

  it('a version without a presetd object has null, and its event has no note', async () => {
    await push('plain');
    await push('plain', { designate: true });
    await push('plain', null);
    expect((await get('plain/versions')).map(({ presetd }: { presetd: unknown }) => presetd)).toEqual([
      null,
      null,
      null,
    ]);
    expect((await get('plain/events'))[0].after).toEqual({ version: 3, designated_version: 3 });
  });

  it('a version saved with designate: false is not live until it is designated', async () => {
    expect((await push('draft', { designate: false })).body.data.designated_version.version).toBe(1);
    const { headers, body } = await push('draft', { designate: false, note: 'Try me' });
    expect(body.data.designated_version.version).toBe(1);
    expect(headers.get('x-presetd-preset')).toBe('draft@2');
    expect((await get('draft')).designated_version.version).toBe(1);
    expect((await get('draft/versions/2')).presetd).toEqual({ note: 'Try me' });
    expect((await get('draft/events'))[0]).toMatchObject({
      kind: 'preset.version_added',
      before: { designated_version: 1 },
      after: { version: 2, designated_version: 1, live: false, note: 'Try me' },
    });
    await server.send('PATCH', '/api/v1/presets/draft', { designated_version: 2 });
    expect((await get('draft')).designated_version.version).toBe(2);
    expect((await push('draft')).body.data.designated_version.version).toBe(3);
  });

  it('a retry with the same idempotency key returns the first response', async () => {
    await push('retried');
    const headers = { 'idempotency-key': 'draft-1' };
    const first = await push('retried', { designate: false }, headers);
    const second = await push('retried', { designate: false }, headers);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    for (const response of [first, second]) {
      expect(response.headers.get('x-presetd-preset')).toBe('retried@2');
      expect(response.body.data.designated_version.version).toBe(1);
    }
    expect(await get('retried/versions')).toHaveLength(2);
  });

  it.each([
    ['an unknown key', { notes: 'x' }, '/presetd/notes'],
    ['a note that is too long', { note: 'x'.repeat(501) }, '/presetd/note'],
    ['an empty note', { note: '' }, '/presetd/note'],
    ['a note that cannot be stored', { note: 'a\0b' }, '/presetd/note'],
    ['a wrong type', { designate: 'no' }, '/presetd/designate'],
    ['no object', 'note', '/presetd'],
  ])('a presetd object is rejected for %s', async (_title, presetd, path) => {
    const { status, body } = await push('rejected', presetd);
    expect([status, body.error.metadata.issues[0].path]).toEqual([400, path]);
    expect((await server.get('/api/v1/presets/rejected', { key: apiKey })).status).toBe(404);
  });

  it('a diff includes a patch of the presetd object', async () => {
    await push('compared');
    await push('compared', { note: 'Second' });
    await push('compared', { note: 'Third' });
    const patch = async (path: string) => (await get(`compared/versions/${path}`)).presetd_patch;
    expect(await patch('2/diff')).toEqual([{ op: 'add', path: '/note', value: 'Second' }]);
    expect(await patch('3/diff')).toEqual([{ op: 'replace', path: '/note', value: 'Third' }]);
    expect(await patch('1/diff?against=3')).toEqual([{ op: 'remove', path: '/note' }]);
    expect(await patch('3/diff?against=3')).toEqual([]);
  });
});
