import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strictestEngine } from '../support/engines.ts';
import { addOrganization, makeMember } from '../support/organizations.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';

const address = (count: number) =>
  `${Array.from({ length: count }, (_, index) => `w${index}`).join('.')}@example.com`;

describe('GET /organization/members?q=', () => {
  let server: TestServer;
  const owner = 'owner@localhost';
  const people = [
    { email: 'Grace.Hopper@example.com', first_name: 'Grace', last_name: 'Hopper' },
    { email: 'grace.hopper@example.com.au', first_name: 'Grace', last_name: 'Hopper' },
    { email: 'anna+tag@example.org', first_name: 'Änna', last_name: '李' },
    { email: address(50), first_name: '', last_name: '' },
  ];
  const [grace, namesake, anna, wordy] = people.map(({ email }) => email);

  beforeAll(async () => {
    server = await startTestServer(strictestEngine);
    for (const { email, ...names } of people) await makeMember(server, email, names);
    const another = await addOrganization(server.database);
    await server.post(
      '/api/v1/organization/members',
      { email: 'grace.elsewhere@example.com', first_name: 'Grace' },
      { key: another.managementKey },
    );
  });
  afterAll(() => server.stop());

  const list = (query: string, key: string = managementKey) =>
    server.get(`/api/v1/organization/members${query}`, { key });
  const emails = async (query: string) =>
    (await list(query)).body.data.map(({ email }: { email: string }) => email);

  it('a search returns complete members in the format of the list', async () => {
    const { status, body } = await list('?q=grace&limit=1');
    expect([status, body]).toEqual([
      200,
      {
        data: [
          {
            id: expect.stringMatching(/^user_/),
            email: grace,
            first_name: 'Grace',
            last_name: 'Hopper',
            role: 'org:member',
          },
        ],
        total_count: 2,
      },
    ]);
  });

  it.each([
    ['?q=gra', [grace, namesake]],
    ['?q=HOPPER%20gr', [grace, namesake]],
    ['?q=grace+au', [namesake]],
    ['?q=grace&offset=1', [namesake]],
    ['?q=grace&offset=2', []],
    [`?q=${encodeURIComponent('än')}`, [anna]],
    [`?q=${encodeURIComponent('李')}`, [anna]],
    ['?q=tag', [anna]],
    ['?q=race', []],
    ['?q=elsewhere', []],
    ['?q=%25', []],
    ["?q='", []],
    ['?q=%00', []],
    ['?q=grace%00au', [namesake]],
    ['?q=%ED%A0%80', []],
    ['?q=localhost', [owner]],
  ])('the member search %s finds %j', async (query, expected) => {
    expect(await emails(query)).toEqual(expected);
  });

  it.each(['?q=', '?q=%20%09'])('the blank search %j lists all members', async (query) => {
    expect((await list(query)).text).toBe((await list('')).text);
  });

  it('a complete address in any case finds only its member', async () => {
    for (const q of ['grace.hopper@example.com', ' GRACE.HOPPER@EXAMPLE.COM ']) {
      const { body } = await list(`?q=${encodeURIComponent(q)}`);
      expect([body.data.map(({ email }: { email: string }) => email), body.total_count]).toEqual([
        [grace],
        1,
      ]);
    }
    const past = await list(`?q=${encodeURIComponent(grace ?? '')}&offset=1`);
    expect(past.body).toEqual({ data: [], total_count: 1 });
    expect(await emails('?q=grace.elsewhere@example.com')).toEqual([]);
    expect(await emails('?q=hopper@example.com')).toEqual([grace, namesake]);
  });

  it('finds a member by an address with more words than a search may have', async () => {
    expect(await emails(`?q=${wordy}`)).toEqual([wordy]);
  });

  it.each([
    [`q=${'x'.repeat(255)}`, '/q', 'must have at most 254 characters'],
    [`q=${address(51)}`, '/q', 'must have at most 40 words'],
    ['q=a&q=b', '/q', expect.any(String)],
    ['q=a&limit=0', '/limit', 'must be at least 1'],
  ])('rejects the member search %s', async (query, path, message) => {
    const { status, body } = await list(`?${query}`);
    expect([status, body.error.metadata?.issues]).toEqual([400, [{ path, message }]]);
  });

  it('searching members needs a management key', async () => {
    expect((await list('?q=grace', apiKey)).status).toBe((await list('', apiKey)).status);
    expect((await list('?q=grace', apiKey)).status).toBe(401);
  });

  it('the search index follows members who are added, renamed and removed', async () => {
    const path = '/api/v1/organization/members/soon@example.com';
    await makeMember(server, 'soon@example.com', { first_name: 'Soon' });
    expect(await emails('?q=soon')).toEqual(['soon@example.com']);
    await server.send('PATCH', path, { first_name: 'Later' }, { key: managementKey });
    expect(await emails('?q=later')).toEqual(['soon@example.com']);
    await server.send('DELETE', path, undefined, { key: managementKey });
    expect(await emails('?q=later')).toEqual([]);
    expect(await emails('?q=soon@example.com')).toEqual([]);
  });
});
