import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caseBytesMax } from '../../src/core/presets/case-name.ts';
import { anyEngine } from '../support/engines.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';

const conversation = [
  { role: 'user', content: [{ type: 'text', text: 'Where is my parcel?' }] },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ type: 'function', id: 'c1', function: { name: 'track', arguments: '{"id":7}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'In Bern' },
];

describe('test cases of a preset', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    await push('plain');
  });
  afterAll(() => server.stop());

  const push = (slug: string) => server.post(`/api/v1/presets/${slug}/responses`, {});
  const at = (slug: string, name: string) => `/api/v1/presets/${slug}/cases/${encodeURIComponent(name)}`;
  const get = (slug: string, name: string, query = '') => server.get(`${at(slug, name)}${query}`);
  const put = (slug: string, name: string, body: unknown = {}, headers = {}) =>
    server.send('PUT', at(slug, name), body, { headers });
  const remove = (slug: string, name: string, headers = {}) =>
    server.send('DELETE', at(slug, name), undefined, { headers });
  const eventsOf = async (slug: string) => {
    const { data } = (await server.get(`/api/v1/presets/${slug}/events`)).body;
    return data.map(({ kind, before, after }: Record<string, unknown>) => [kind, before, after]).toReversed();
  };
  const messageOf = ({ status, body }: { status: number; body: { error?: { message: string } } }) => [
    status,
    body.error?.message,
  ];

  it('are saved, read, listed and removed, each with an event that has no content', async () => {
    const created = await push('mail');
    const saved = await put('mail', 'Late parcel', {
      variables: { name: 'Ann' },
      messages: conversation,
      note: 'confidential',
    });
    expect(saved.status).toBe(200);
    expect(saved.headers.get('etag')).not.toBe(created.headers.get('etag'));
    expect(saved.body.data).toEqual({
      name: 'Late parcel',
      variables: { name: 'Ann' },
      messages: conversation,
      note: 'confidential',
      event_number: 2,
      updated_at: expect.stringMatching(/Z$/),
      updated_by: expect.stringMatching(/^user_/),
      updated_by_email: expect.stringContaining('@'),
    });
    expect((await get('mail', 'Late parcel')).text).toBe(saved.text);
    expect((await put('mail', 'Empty')).body.data).toMatchObject({ variables: {}, messages: [], note: null });
    const { body } = await server.get('/api/v1/presets/mail/cases');
    expect([body.data.map(({ name }: { name: string }) => name), body.total_count]).toEqual([
      ['Empty', 'Late parcel'],
      2,
    ]);
    expect(body.data[1]).toEqual(saved.body.data);
    const page = (await server.get('/api/v1/presets/mail/cases?offset=1&limit=1')).body;
    expect(page).toEqual({ data: [saved.body.data], total_count: 2 });
    expect((await remove('mail', 'Late parcel')).body).toEqual({ deleted: true });
    expect(messageOf(await get('mail', 'Late parcel'))).toEqual([
      404,
      'The preset "mail" has no case "Late parcel".',
    ]);
    expect((await remove('mail', 'Late parcel')).status).toBe(404);
    expect(await eventsOf('mail')).toEqual([
      ['preset.created', null, expect.anything()],
      ['preset.case_saved', null, { case: 'Late parcel' }],
      ['preset.case_saved', null, { case: 'Empty' }],
      ['preset.case_removed', { case: 'Late parcel' }, null],
    ]);
    expect((await server.get('/api/v1/audit', { key: managementKey })).text).not.toContain('confidential');
  });

  it('keep numbers as they were written, and an unchanged case has no event', async () => {
    await push('exact');
    const text = '{"note":null,"variables":{"big":12345678901234567890,"small":1e-7},"messages":[]}';
    const saved = await put('exact', 'numbers', text);
    expect(saved.text).toContain('"variables":{"big":12345678901234567890,"small":1e-7},"messages":[]');
    expect((await server.get('/api/v1/presets/exact/cases')).text).toContain('12345678901234567890');
    const again = await put('exact', 'numbers', text);
    expect([again.text, again.headers.get('etag')]).toEqual([saved.text, saved.headers.get('etag')]);
    expect(await eventsOf('exact')).toHaveLength(2);
  });

  it('are renamed, and can be read as they were at any event', async () => {
    await push('versioned');
    await put('versioned', 'old', { note: 'one' });
    const renamed = await put('versioned', 'old', { name: 'new/name?', note: 'two' });
    expect(renamed.body.data).toMatchObject({ name: 'new/name?', note: 'two', event_number: 4 });
    expect((await eventsOf('versioned')).slice(2)).toEqual([
      ['preset.case_renamed', { case: 'old' }, { case: 'new/name?' }],
      ['preset.case_saved', { case: 'new/name?' }, { case: 'new/name?' }],
    ]);
    expect((await get('versioned', 'old')).status).toBe(404);
    expect((await get('versioned', 'new/name?')).body).toEqual(renamed.body);
    const notes = [2, 3, 4].map(async (number) => {
      const found = await Promise.all(
        ['old', 'new/name?'].map((name) => get('versioned', name, `?at=${number}`)),
      );
      return found.map(({ body }) => body.data?.note);
    });
    expect(await Promise.all(notes)).toEqual([
      ['one', undefined],
      [undefined, 'one'],
      [undefined, 'two'],
    ]);
    await put('versioned', 'other');
    expect(messageOf(await put('versioned', 'other', { name: 'new/name?' }))).toEqual([
      409,
      'The preset "versioned" already has a case "new/name?". Choose another name, or remove that case first.',
    ]);
    expect((await put('versioned', 'absent', { name: 'x' })).status).toBe(404);
  });

  it('honor If-Match with the ETag of the preset, and cannot change while it is archived', async () => {
    const created = await push('guarded');
    const etag = { 'if-match': created.headers.get('etag') ?? '' };
    expect((await put('guarded', 'a', {}, etag)).status).toBe(200);
    expect((await put('guarded', 'a', { note: 'x' }, etag)).status).toBe(412);
    expect((await remove('guarded', 'a', etag)).status).toBe(412);
    await server.send('DELETE', '/api/v1/presets/guarded');
    expect(messageOf(await put('guarded', 'a', { note: 'x' }))).toEqual([
      409,
      'The preset "guarded" is archived. Restore it before changing its cases.',
    ]);
    expect((await get('guarded', 'a')).status).toBe(200);
  });

  it.each([
    [
      'a message of another role',
      { messages: [{ role: 'system', content: 'x' }] },
      400,
      /\/messages\/0\/role/,
    ],
    ['a tool result without its call', { messages: [{ role: 'tool', content: 'x' }] }, 400, /tool_call_id/],
    ['variables that are a list', { variables: [] }, 400, /\/variables/],
    ['text that cannot be stored', { variables: { a: ['x\u0000'] } }, 400, /\/variables\/a\/0 contains/],
    ['an empty note', { note: '' }, 400, /\/note/],
    ['a long note', { note: 'x'.repeat(501) }, 400, /\/note/],
    ['an invalid name', { name: 'two\nlines' }, 400, /\/name must not contain line breaks/],
    ['an unknown field', { variable: {} }, 400, /variable/],
    [
      'too much content',
      { note: 'x', variables: { a: 'é'.repeat(caseBytesMax / 2) } },
      413,
      /at most 1048576/,
    ],
  ])('a test case is refused for %s', async (_, body, status, message) => {
    expect(messageOf(await put('plain', 'a', body))).toEqual([status, expect.stringMatching(message)]);
  });
});
