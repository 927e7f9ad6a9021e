import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tagRule } from '../../src/core/presets/tag.ts';
import { strictestEngine } from '../support/engines.ts';
import { makeMember } from '../support/organizations.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { addKey } from '../support/storage-access.ts';

describe('listing presets', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(strictestEngine);
    for (const slug of ['mail-triage', 'mail-reply', 'overview', 'shelved-mail', 'off'])
      await server.post(`/api/v1/presets/${slug}/responses`, { model: slug, instructions: 'Secret.' });
    await server.post('/api/v1/presets/overview/responses', {});
    await patch('overview', {
      name: 'Große Übersicht',
      description: 'Für alle',
      tags: ['eu/prod', 'beta'],
      designated_version: 1,
    });
    await server.send('PUT', '/api/v1/presets/overview/labels/production', { version: 2 });
    await server.send('DELETE', '/api/v1/presets/shelved-mail');
    await patch('off', { status: 'disabled', tags: ['eu/prod'] });
  });
  afterAll(() => server.stop());

  const patch = (slug: string, body: object) => server.send('PATCH', `/api/v1/presets/${slug}`, body);
  const list = (query = '') => server.get(`/api/v1/presets${query}`, { key: apiKey });
  const slugs = async (query: string) => {
    const { body } = await list(query);
    expect(body.total_count).toBe(body.data.length);
    return body.data.map(({ slug }: { slug: string }) => slug);
  };

  it('the preset list has a summary of each preset, and only the model of its versions', async () => {
    const { status, headers, body, text } = await list('?q=overview');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const preset = (await server.get('/api/v1/presets/overview')).body.data;
    const { designated_version: version, ...rest } = preset;
    expect(body).toEqual({
      data: [
        {
          ...rest,
          designated_version_number: version.version,
          latest_version: 2,
          labels: { production: 2 },
          aliases: [],
          tags: ['beta', 'eu/prod'],
          model: 'overview',
          updated_by: version.creator_id,
          updated_by_email: 'owner@localhost',
          updated_by_name: 'Preset Owner',
          last_called_at: null,
        },
      ],
      total_count: 1,
      total_count_exact: true,
    });
    expect(body.data[0]).toMatchObject({ name: 'Große Übersicht', designated_version_number: 1 });
    expect(text).not.toContain('Secret.');
  });

  it.each<[string, string[]]>([
    ['', ['off', 'overview', 'mail-reply', 'mail-triage']],
    ['?status=all', ['off', 'shelved-mail', 'overview', 'mail-reply', 'mail-triage']],
    ['?status=active', ['overview', 'mail-reply', 'mail-triage']],
    ['?status=disabled', ['off']],
    ['?status=archived', ['shelved-mail']],
    ['?q=mail', ['mail-reply', 'mail-triage']],
    ['?q=MAIL%20tri', ['mail-triage']],
    ['?q=mail+re', ['mail-reply']],
    ['?q=mail&status=all', ['shelved-mail', 'mail-reply', 'mail-triage']],
    ['?q=mail&status=archived', ['shelved-mail']],
    ['?q=mail&status=disabled', []],
    [`?q=${encodeURIComponent('für übersicht')}`, ['overview']],
    ['?q=overview+alle', ['overview']],
    ['?q=', ['off', 'overview', 'mail-reply', 'mail-triage']],
    ['?q=%20%09', ['off', 'overview', 'mail-reply', 'mail-triage']],
    ['?q=%25', []],
    ["?q='", []],
    ['?q=%00', []],
    ['?q=mail%00reply', ['mail-reply']],
    ['?q=%ED%A0%80', []],
    ['?tag=beta', ['overview']],
    ['?tag=eu/prod', ['off', 'overview']],
    ['?tag=eu%2Fprod', ['off', 'overview']],
    ['?tag=eu/prod,beta', ['overview']],
    ['?tag=bet', []],
    ['?tag=unknown', []],
    ['?tag=', ['off', 'overview', 'mail-reply', 'mail-triage']],
    ['?tag=eu/prod&status=disabled', ['off']],
    ['?tag=eu/prod&q=alle', ['overview']],
    ['?tag=eu/prod&q=mail-reply', []],
  ])('the preset list %s has %j, most recently changed first', async (query, expected) => {
    expect(await slugs(query)).toEqual(expected);
  });

  it('the preset list is paginated', async () => {
    const page = async (query: string) => {
      const { body } = await list(`?status=all&${query}`);
      return [body.data.map(({ slug }: { slug: string }) => slug), body.total_count];
    };
    expect(await page('limit=2')).toEqual([['off', 'shelved-mail'], 5]);
    expect(await page('limit=2&offset=2')).toEqual([['overview', 'mail-reply'], 5]);
    expect(await page('limit=2&offset=4')).toEqual([['mail-triage'], 5]);
    expect(await page('limit=2&offset=5')).toEqual([[], 5]);
    expect(await page('offset=2147483647&limit=100')).toEqual([[], 5]);
    expect(await page('q=mail&limit=1&offset=1')).toEqual([['mail-reply'], 3]);
    expect(await page('q=mail&offset=3')).toEqual([[], 3]);
  });

  it('the preset list shows who changed a preset last, even after they have left', async () => {
    const email = 'grace@example.com';
    const ownerId = await makeMember(server, email, { role: 'org:admin' });
    const key = await addKey(server.database, { ownerId });
    await server.post('/api/v1/presets/touched/responses', { models: ['first', 'second'] });
    const touched = async () => (await list('?q=touched')).body.data[0];
    expect(await touched()).toMatchObject({ updated_by_email: 'owner@localhost', model: 'first' });
    await server.send('PUT', '/api/v1/presets/touched/labels/a', { version: 1 }, { key });
    expect(await touched()).toMatchObject({ updated_by: ownerId, updated_by_email: email });
    await server.send('DELETE', `/api/v1/organization/members/${ownerId}`, undefined, { key: managementKey });
    expect(await touched()).toMatchObject({ updated_by: ownerId, updated_by_email: email });
    await server.post('/api/v1/presets/touched/responses', {});
    expect(await touched()).toMatchObject({ updated_by_email: 'owner@localhost', model: null });
    await server.send('DELETE', '/api/v1/presets/touched');
  });

  it('a changed preset moves to the front of the list', async () => {
    await server.post('/api/v1/presets/mail-triage/responses', {});
    expect((await slugs(''))[0]).toBe('mail-triage');
    await patch('mail-reply', { description: 'Changed' });
    expect((await slugs('?q=mail'))[0]).toBe('mail-reply');
    await server.send('PUT', '/api/v1/presets/off/labels/a', { version: 1 });
    expect((await slugs(''))[0]).toBe('off');
  });

  it('a search finds words of the live version soon after a change', async () => {
    await server.post('/api/v1/presets/overview/responses', { model: 'new', instructions: 'Not live.' });
    await patch('overview', { designated_version: 1 });
    const found = (query: string) => expect.poll(() => slugs(query));
    await found('?q=secret').toEqual(['overview', 'off', 'mail-reply']);
    await found('?q=secret+overview').toEqual(['overview']);
    await found('?q=eu+prod').toEqual(['overview', 'off']);
    await found('?q=live').toEqual([]);
  });

  it.each([
    ['limit=0', '/limit', 'must be at least 1'],
    ['limit=101', '/limit', 'must be at most 100'],
    ['limit=1.5', '/limit', 'must be a whole number'],
    ['limit=', '/limit', 'must be a whole number'],
    ['offset=-1', '/offset', 'must be at least 0'],
    ['offset=2147483648', '/offset', 'must be at most 2147483647'],
    ['offset=x', '/offset', 'must be a whole number'],
    ['status=gone', '/status', 'must be "active", "disabled", "archived" or "all"'],
    ['status=', '/status', 'must be "active", "disabled", "archived" or "all"'],
    ['status=active&status=all', '/status', expect.any(String)],
    [`q=${'x'.repeat(201)}`, '/q', 'must have at most 200 characters'],
    [
      `q=${Array.from({ length: 41 }, (_, index) => `w${index}`).join('+')}`,
      '/q',
      'must have at most 40 words',
    ],
    ['workspace_id=none', '/workspace_id', 'must be a UUID'],
    ['tag=Mail', '/tag', tagRule],
    ['tag=mail,', '/tag', tagRule],
    [`tag=${Array(21).fill('a').join()}`, '/tag', 'must have at most 20 tags'],
    ['tag=mail&tag=eu', '/tag', 'must be given once, not 2 times'],
  ])('rejects the preset list query %s', async (query, path, message) => {
    const { status, body } = await list(`?${query}`);
    expect([status, body.error.metadata?.issues]).toEqual([400, [{ path, message }]]);
  });
});
