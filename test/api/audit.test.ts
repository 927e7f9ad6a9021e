import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { strictestEngine } from '../support/engines.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { managementKey, startTestServer, type TestResponse, type TestServer } from '../support/server.ts';

interface AuditEvent {
  readonly id: string;
  readonly kind: string;
  readonly created_at: string;
  readonly actor_id: string;
  readonly actor_email: string | null;
  readonly key_label: string | null;
  readonly workspace_id: string | null;
  readonly workspace_slug: string | null;
  readonly workspace_name: string | null;
  readonly subject_id: string;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields that a test expects; the others are the same for all events. */
type ExpectedEvent = Partial<AuditEvent> & Pick<AuditEvent, 'kind' | 'before' | 'after'>;

describe('the audit log', () => {
  let server: TestServer;
  let adminId: string;
  let adminEmail: string;
  let label: string;
  beforeAll(async () => {
    server = await startTestServer(strictestEngine);
    [{ id: adminId, email: adminEmail }] = (await server.get('/api/v1/organization/members')).body.data;
    label = (await server.get('/api/v1/key')).body.data.label;
  });
  afterAll(() => server.stop());

  const send = (method: string, path: string, body?: unknown, key: string = managementKey, headers = {}) =>
    server.send(method, `/api/v1${path}`, body, { key, headers });
  const audit = (query = '') => send('GET', `/audit${query}`);
  const read = async (query = ''): Promise<readonly AuditEvent[]> => {
    const { status, text, body } = await audit(query);
    expect([query, status, text]).toMatchObject([query, 200, expect.any(String)]);
    return body.data;
  };
  const idsOf = (events: readonly AuditEvent[]) => events.map(({ id }) => id);
  const sorted = (events: readonly ExpectedEvent[]) =>
    events.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));

  /** Runs `work` and returns the events it caused, unordered since they have the same time. */
  const eventsOf = async (work: () => Promise<TestResponse>): Promise<readonly AuditEvent[]> => {
    const before = new Set(idsOf(await read('?limit=100')));
    const { status, text } = await work();
    expect([text, status < 300]).toEqual([text, true]);
    const events = (await read('?limit=100')).filter(({ id }) => !before.has(id));
    for (const event of events) {
      expect(Object.keys(event).toSorted()).toEqual([
        'actor_email',
        'actor_id',
        'after',
        'before',
        'created_at',
        'id',
        'key_label',
        'kind',
        'subject',
        'subject_id',
        'workspace_id',
        'workspace_name',
        'workspace_slug',
      ]);
      expect(event).toMatchObject({ actor_id: adminId, actor_email: adminEmail, key_label: label });
      expect(event.created_at).toBe(events[0]?.created_at);
      seen.add(event.kind);
    }
    return events;
  };
  const expectEvents = async (work: () => Promise<TestResponse>, expected: readonly ExpectedEvent[]) => {
    const events = await eventsOf(work);
    expect(sorted(events)).toEqual(sorted(expected).map((event) => expect.objectContaining(event)));
  };
  const seen = new Set<string>();

  it('the audit log records every change to members', async () => {
    const facts = { email: 'Grace@example.com', first_name: 'Grace', last_name: '', role: 'org:member' };
    await expectEvents(
      () => send('POST', '/organization/members', { email: 'Grace@example.com', first_name: 'Grace' }),
      [
        {
          kind: 'member.added',
          subject: 'Grace@example.com',
          workspace_id: null,
          before: null,
          after: facts,
        },
      ],
    );
    const { id } = (await send('GET', '/organization/members/grace@example.com')).body.data;
    const about = { subject_id: id, subject: 'Grace@example.com', workspace_id: null };
    await expectEvents(
      () => send('PATCH', `/organization/members/${id}`, { last_name: 'Hopper', role: 'org:admin' }),
      [
        {
          kind: 'member.renamed',
          ...about,
          before: { first_name: 'Grace', last_name: '' },
          after: { first_name: 'Grace', last_name: 'Hopper' },
        },
        {
          kind: 'member.role_changed',
          ...about,
          before: { role: 'org:member' },
          after: { role: 'org:admin' },
        },
      ],
    );
    await expectEvents(
      () =>
        send('POST', '/organization/members/import', {
          members: [
            { email: 'grace@example.com', role: 'org:member' },
            { email: 'new@example.com', last_name: 'N' },
            { email: 'new@example.com', last_name: 'M' },
          ],
          update_existing: true,
        }),
      [
        {
          kind: 'member.role_changed',
          ...about,
          before: { role: 'org:admin' },
          after: { role: 'org:member' },
        },
        {
          kind: 'member.added',
          subject: 'new@example.com',
          before: null,
          after: { email: 'new@example.com', first_name: '', last_name: 'N', role: 'org:member' },
        },
      ],
    );
    const key = await makeKey(server, { creator_user_id: id });
    const disabled = await makeKey(server, { creator_user_id: id });
    await send('PATCH', `/keys/${disabled.id}`, { disabled: true });
    await expectEvents(
      () => send('DELETE', `/organization/members/${id}`),
      [
        {
          kind: 'member.removed',
          ...about,
          before: { ...facts, last_name: 'Hopper' },
          after: null,
        },
        {
          kind: 'key.disabled',
          subject_id: key.id,
          subject: key.label,
          before: { disabled: false },
          after: { disabled: true },
        },
      ],
    );
    await expectEvents(
      () => send('POST', '/organization/members', { email: 'grace@example.com' }),
      [
        {
          kind: 'member.added',
          ...about,
          before: null,
          after: { ...facts, last_name: 'Hopper' },
        },
      ],
    );
  });

  it('the audit log records every change to workspaces', async () => {
    const [created] = (
      await eventsOf(() => send('POST', '/workspaces', { name: 'Room', slug: 'room', description: 'D' }))
    ).filter(({ kind }) => kind === 'workspace.created');
    const id = created?.workspace_id ?? '';
    const about = { workspace_id: id, subject_id: id, subject: 'room' };
    expect(created).toMatchObject({
      ...about,
      before: null,
      after: { slug: 'room', name: 'Room', description: 'D' },
    });
    const joined = (await read('?kind=workspace.member_added'))[0];
    expect(joined).toMatchObject({
      ...about,
      before: null,
      after: { user_id: adminId, email: adminEmail, role: 'admin' },
    });
    await expectEvents(
      () => send('PATCH', '/workspaces/room', { name: 'Hall', slug: 'hall', description: null }),
      [
        { kind: 'workspace.renamed', ...about, before: { name: 'Room' }, after: { name: 'Hall' } },
        { kind: 'workspace.slug_changed', ...about, before: { slug: 'room' }, after: { slug: 'hall' } },
        {
          kind: 'workspace.described',
          ...about,
          before: { description: 'D' },
          after: { description: null },
        },
      ],
    );
    const contentLog = { enabled: true, sampling_rate: 0.5, redaction_patterns: ['a', 'b'] };
    const settings = { retention_days: 30, bytes_max: 262_144 };
    const logSettings = {
      kind: 'workspace.content_log_changed',
      ...about,
      subject: 'hall',
      before: { enabled: false, sampling_rate: '1', redaction_patterns: '[]', ...settings },
      after: { enabled: true, sampling_rate: '0.5', redaction_patterns: '["a","b"]', ...settings },
    };
    await expectEvents(() => send('PATCH', '/workspaces/hall/content-log', contentLog), [logSettings]);
    await expectEvents(() => send('PATCH', '/workspaces/hall/content-log', contentLog), []);
    const now = { ...about, subject: 'hall' };
    const people = await Promise.all(
      ['w1@example.com', 'w2@example.com'].map(async (email) => ({
        user_id: await makeMember(server, email),
        email,
      })),
    );
    const body = { user_ids: people.map(({ user_id: userId }) => userId) };
    await expectEvents(
      () => send('POST', `/workspaces/${id}/members/add`, body),
      people.map((person) => ({
        kind: 'workspace.member_added',
        ...now,
        before: null,
        after: { ...person, role: 'admin' },
      })),
    );
    await expectEvents(() => send('POST', `/workspaces/${id}/members/add`, body), []);
    const [person] = people;
    const giveRole = () => send('PATCH', `/workspaces/${id}/members/${person?.user_id}`, { role: 'viewer' });
    await expectEvents(giveRole, [
      {
        kind: 'workspace.member_role_changed',
        ...now,
        before: { ...person, role: 'admin' },
        after: { ...person, role: 'viewer' },
      },
    ]);
    await expectEvents(giveRole, []);
    await expectEvents(
      () => send('POST', '/workspaces/hall/members/remove', body),
      people.map((before) => ({ kind: 'workspace.member_removed', ...now, before, after: null })),
    );
    const key = await makeKey(server, { workspace_id: id, name: 'Inactive' });
    await send('PATCH', `/keys/${key.id}`, { disabled: true });
    await expectEvents(
      () => send('DELETE', '/workspaces/hall'),
      [
        {
          kind: 'workspace.deleted',
          ...now,
          before: { slug: 'hall', name: 'Hall', description: null },
          after: null,
        },
        {
          kind: 'key.deleted',
          workspace_id: id,
          subject_id: key.id,
          subject: key.label,
          before: {
            name: 'Inactive',
            kind: 'api',
            read_only: false,
            scope: 'write',
            creator_user_id: adminId,
            expires_at: null,
            presets: null,
            limit: null,
            limit_reset: null,
          },
          after: null,
        },
      ],
    );
  });

  it('the audit log records who reads the content of a call', async () => {
    const id = await makeWorkspace(server, 'logged');
    await send('PATCH', '/workspaces/logged/content-log', { enabled: true });
    const { secret } = await makeKey(server, { workspace_id: id });
    const called = await send('POST', '/chat/completions', { model: '@preset/none' }, secret);
    const generationId = called.headers.get('x-generation-id');
    const read = () => send('GET', `/generation/content?id=${generationId}`);
    await expect.poll(async () => (await read()).status).toBe(200);
    const event = {
      kind: 'workspace.content_read',
      workspace_id: id,
      subject_id: id,
      subject: 'logged',
      before: null,
      after: { generation_id: generationId },
    };
    await expectEvents(read, [event]);
    await expectEvents(read, [event]);
  });

  it('the audit log records every change to keys', async () => {
    const workspace = await makeWorkspace(server, 'keys');
    const defaultWorkspace = (await send('GET', '/workspaces/default')).body.data.id;
    const leadId = await makeMember(server, 'lead@example.com', { role: 'org:admin' });
    const facts = {
      name: 'CI',
      kind: 'api',
      read_only: false,
      scope: 'call',
      presets: 'one, two',
      limit: 0.1,
      limit_reset: 'daily',
      creator_user_id: leadId,
      expires_at: '2040-01-01T00:00:00.000Z',
    };
    // A key that is limited to them moves only to workspaces that have them.
    for (const slug of ['one', 'two'])
      for (const id of [workspace, defaultWorkspace])
        await send('POST', `/presets/${slug}/responses?workspace_id=${id}`, { model: 'm' });
    await expectEvents(
      () =>
        send('POST', '/keys', {
          name: 'CI',
          workspace_id: workspace,
          creator_user_id: leadId,
          scope: 'call',
          presets: ['one', 'two', 'one'],
          limit: 0.1,
          limit_reset: 'daily',
          expires_at: '2040-01-01T00:00:00Z',
        }),
      [
        { kind: 'key.created', workspace_id: workspace, before: null, after: facts },
        {
          kind: 'workspace.member_added',
          workspace_id: workspace,
          subject: 'keys',
          before: null,
          after: { user_id: leadId, email: 'lead@example.com', role: 'admin' },
        },
      ],
    );
    const [made] = (await send('GET', `/keys?workspace_id=${workspace}`)).body.data;
    const about = { workspace_id: workspace, subject_id: made.hash, subject: made.label };
    expect((await read('?kind=key.created&limit=1'))[0]).toMatchObject(about);
    const change = (body: object) => () => send('PATCH', `/keys/${made.hash}`, body);
    await expectEvents(change({ name: 'Build', disabled: true, expires_at: null }), [
      { kind: 'key.renamed', ...about, before: { name: 'CI' }, after: { name: 'Build' } },
      { kind: 'key.disabled', ...about, before: { disabled: false }, after: { disabled: true } },
      {
        kind: 'key.expiry_changed',
        ...about,
        before: { expires_at: '2040-01-01T00:00:00.000Z' },
        after: { expires_at: null },
      },
    ]);
    await expectEvents(change({ name: 'Build', disabled: false }), [
      { kind: 'key.enabled', ...about, before: { disabled: true }, after: { disabled: false } },
    ]);
    await expectEvents(change({ name: 'Build', disabled: false }), []);
    await send('POST', `/presets/limited/responses?workspace_id=${workspace}`, { model: 'm' });
    const before = { presets: 'one, two' };
    await expectEvents(change({ presets: ['limited'] }), [
      { kind: 'key.presets_changed', ...about, before, after: { presets: 'limited' } },
    ]);
    await expectEvents(change({ presets: ['one', 'two'] }), [
      { kind: 'key.presets_changed', ...about, before: { presets: 'limited' }, after: before },
    ]);
    const limit = { limit: 0.1, limit_reset: 'daily' };
    await expectEvents(change({ limit: null }), [
      { kind: 'key.limit_changed', ...about, before: limit, after: { ...limit, limit: null } },
    ]);
    await expectEvents(change(limit), [
      { kind: 'key.limit_changed', ...about, before: { ...limit, limit: null }, after: limit },
    ]);
    await expectEvents(change({ workspace_id: defaultWorkspace }), [
      {
        kind: 'key.moved',
        ...about,
        workspace_id: defaultWorkspace,
        before: { workspace_id: workspace },
        after: { workspace_id: defaultWorkspace },
      },
    ]);
    await send('PATCH', `/keys/${made.hash}`, { workspace_id: workspace });
    const [rotated] = await eventsOf(() => send('POST', `/keys/${made.hash}/rotate`));
    const next = (await send('GET', `/keys/${made.hash}`)).body.data;
    expect(rotated).toMatchObject({
      ...about,
      kind: 'key.rotated',
      subject: next.label,
      before: { label: made.label },
      after: { label: next.label, previous_secret_expires_at: next.previous_secret_expires_at },
    });
    await expectEvents(
      () => send('DELETE', `/keys/${made.hash}`),
      [
        {
          kind: 'key.deleted',
          ...about,
          subject: next.label,
          before: { ...facts, name: 'Build', expires_at: null },
          after: null,
        },
      ],
    );
    await expectEvents(
      () => send('POST', '/keys', { name: 'M', kind: 'read_only' }),
      [
        {
          kind: 'key.created',
          workspace_id: null,
          before: null,
          after: {
            name: 'M',
            kind: 'management',
            read_only: true,
            creator_user_id: adminId,
            expires_at: null,
            presets: null,
            limit: null,
            limit_reset: null,
          },
        },
      ],
    );
  });

  it('the audit log has the same events of a preset as its own history', async () => {
    const id = await makeWorkspace(server, 'presets');
    const path = (rest: string) => `/presets/audited${rest}?workspace_id=${id}`;
    const steps: readonly [string, string, unknown?][] = [
      ['POST', path('/responses'), { model: 'one' }],
      ['POST', path('/responses'), { model: 'two' }],
      ['PATCH', path(''), { name: 'Audited', description: 'D', tags: ['t'], designated_version: 1 }],
      ['PUT', path('/labels/a'), { version: 1 }],
      ['DELETE', path('/labels/a')],
      ['PUT', path('/aliases/a')],
      ['DELETE', path('/aliases/a')],
      ['PUT', path('/cases/a'), {}],
      ['PUT', path('/cases/a'), { name: 'b' }],
      ['DELETE', path('/cases/b')],
      ['PATCH', path(''), { slug: 'audited-anew' }],
      ['PATCH', path(''), { slug: 'audited' }],
      ['PATCH', path(''), { status: 'disabled' }],
      ['PATCH', path(''), { status: 'active' }],
      ['DELETE', path('')],
      ['POST', path('/restore')],
    ];
    for (const step of steps) expect(await eventsOf(() => send(...step))).not.toEqual([]);
    const exported = (await send('GET', `/export?workspace_id=${id}`)).text.replaceAll('audited', 'imported');
    const ndjson = { 'content-type': 'application/x-ndjson' };
    const imported = await eventsOf(() =>
      send('POST', `/import?workspace_id=${id}`, exported, managementKey, ndjson),
    );
    expect(imported.map(({ kind }) => kind)).toContain('preset.imported');
    for (const event of imported) expect(event).toMatchObject({ subject: 'imported', workspace_id: id });
    const own: (AuditEvent & { number: number })[] = (await send('GET', path('/events'))).body.data;
    const events = (await read('?kind=preset&limit=100')).filter(({ subject }) => subject === 'audited');
    const { id: presetId } = (await send('GET', path(''))).body.data;
    const expected = own.map(({ number: _number, ...event }) => ({
      ...event,
      workspace_id: id,
      workspace_slug: 'presets',
      workspace_name: 'presets',
      subject_id: presetId,
      subject: 'audited',
    }));
    const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id);
    expect(events.toSorted(byId)).toEqual(expected.toSorted(byId));
  });

  it('every documented kind of audit event occurs in these tests', async () => {
    const { components } = (await server.get('/openapi.json', { key: null })).body;
    const kinds: string[] = components.schemas.AuditEvent.properties.kind.enum;
    // Those of accounts and of SCIM occur in people.test.ts, sign-in.test.ts and scim.test.ts, that
    // of new prices in repricing.test.ts.
    const elsewhere =
      /^(account|group|usage)\.|^member\.(deactivated|email_changed|provisioned|reactivated)$/;
    expect([...seen].toSorted()).toEqual(kinds.filter((kind) => !elsewhere.test(kind)).toSorted());
  });

  it('the audit log is newest first, and its pages join to the whole', async () => {
    const all = (await audit('?limit=100')).body;
    expect(all.next_cursor).toBeNull();
    const times = all.data.map(({ created_at: at }: AuditEvent) => at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await read()).length).toBe(Math.min(50, all.data.length));
    for (const filter of ['', '&kind=key', '&kind=preset', `&actor=${adminId}&kind=member`]) {
      const whole = await read(`?limit=100${filter}`);
      expect(whole.length).toBeGreaterThan(3);
      const pages: AuditEvent[] = [];
      let cursor = '';
      do {
        const { body } = await audit(`?limit=3${filter}${cursor}`);
        expect(body.data.length).toBeGreaterThan(0);
        pages.push(...body.data);
        cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`;
      } while (cursor !== '');
      expect(pages).toEqual(whole);
    }
    // A page that ends exactly with the last event has no cursor.
    const exact = (await audit(`?limit=${all.data.length}`)).body;
    expect([exact.data.length, exact.next_cursor]).toEqual([all.data.length, null]);
  });

  it('filters audit events by kind, group and actor', async () => {
    const all = await read('?limit=100');
    for (const kind of ['key.created', 'workspace.member_added', 'preset.designated', 'member.removed'])
      expect(await read(`?limit=100&kind=${kind}`)).toEqual(all.filter((event) => event.kind === kind));
    for (const group of ['preset', 'key', 'workspace', 'member']) {
      const found = await read(`?limit=100&kind=${group}`);
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(all.filter(({ kind }) => kind.startsWith(`${group}.`)));
    }
    const actorId = await makeMember(server, 'Actor@example.com');
    const key = await makeKey(server, { creator_user_id: actorId, kind: 'management' });
    await send('POST', '/keys', { name: 'Theirs' }, key.secret);
    for (const actor of [actorId, 'actor@example.com', 'ACTOR%40EXAMPLE.COM']) {
      const found = await read(`?actor=${actor}`);
      expect(found.map(({ kind, key_label: each }) => [kind, each])).toEqual([['key.created', key.label]]);
      expect(found[0]).toMatchObject({ actor_id: actorId, actor_email: 'Actor@example.com' });
      expect(await read(`?actor=${actor}&kind=member`)).toEqual([]);
      expect(await read(`?actor=${actor}&kind=key.created`)).toEqual(found);
    }
    await send('DELETE', `/organization/members/${actorId}`);
    expect(await read('?actor=actor@example.com')).toHaveLength(1);
    for (const actor of ['nobody@example.com', 'user_none', '%00', '', "'%20OR%201=1"])
      expect((await audit(`?actor=${actor}`)).body).toEqual({ data: [], next_cursor: null });
  });

  describe('presets with the same slug in several workspaces', () => {
    const workspaces = [
      { slug: 'default', id: '' },
      { slug: 'one', id: '' },
      { slug: 'other', id: '' },
    ];
    beforeAll(async () => {
      for (const workspace of workspaces)
        workspace.id =
          workspace.slug === 'default'
            ? (await send('GET', '/workspaces/default')).body.data.id
            : await makeWorkspace(server, workspace.slug);
      for (const { id } of workspaces) {
        for (const model of ['first', 'second'])
          await send('POST', `/presets/triplet/responses?workspace_id=${id}`, { model });
        await send('POST', `/presets/single/responses?workspace_id=${id}`, { model: 'm' });
        await send('PATCH', `/presets/triplet?workspace_id=${id}`, { designated_version: 1 });
        await send('DELETE', `/presets/triplet?workspace_id=${id}`);
      }
    });

    it('each audit event names its workspace', async () => {
      const created = await read('?kind=preset.created&limit=6');
      const triplets = created.filter(({ subject }) => subject === 'triplet');
      expect(
        triplets.map(({ workspace_slug, workspace_id }) => ({ slug: workspace_slug, id: workspace_id })),
      ).toEqual(workspaces.toReversed());
      expect(triplets.map(({ workspace_name }) => workspace_name)).toEqual(['other', 'one', 'Default']);
    });

    it('filters audit events by workspace id or slug, together with other filters', async () => {
      const all = await read('?limit=100');
      for (const { id, slug } of workspaces) {
        const own = all.filter(({ workspace_id }) => workspace_id === id);
        expect(own.length).toBeGreaterThan(4);
        for (const workspace of [id, id.toUpperCase(), slug]) {
          const found = await read(`?workspace=${workspace}&limit=100`);
          expect(found.slice(0, own.length)).toEqual(own);
          expect(new Set(found.map(({ workspace_id }) => workspace_id))).toEqual(new Set([id]));
        }
        const archived = await read(`?workspace=${slug}&kind=preset.archived&actor=${adminId}&limit=1`);
        expect(archived).toEqual(own.filter(({ kind }) => kind === 'preset.archived').slice(0, 1));
        expect(await read(`?workspace=${slug}&actor=nobody`)).toEqual([]);
        expect(await read(`?workspace=${slug}&until=1970-01-01T00:00:00Z`)).toEqual([]);
      }
    });

    it('filters audit events by preset, even if archived, and pages through them', async () => {
      const kinds = ['archived', 'designated', 'version_added', 'created'].map((kind) => `preset.${kind}`);
      for (const { id, slug } of workspaces) {
        const found = await read(`?workspace=${slug}&preset=triplet`);
        expect(found.map(({ kind }) => kind)).toEqual(kinds);
        expect(found).toEqual(found.map((event) => ({ ...event, subject: 'triplet', workspace_id: id })));
        expect(await read(`?workspace=${id}&preset=triplet&kind=preset.designated`)).toEqual([found[1]]);
        expect(await read(`?workspace=${id}&preset=triplet&kind=key`)).toEqual([]);
        expect(await read(`?workspace=${id}&preset=triplet&actor=${adminEmail}&limit=2`)).toEqual(
          found.slice(0, 2),
        );
        const first = (await audit(`?workspace=${slug}&preset=triplet&limit=3`)).body;
        const rest = (await audit(`?workspace=${slug}&preset=triplet&cursor=${first.next_cursor}`)).body;
        expect([...first.data, ...rest.data]).toEqual(found);
        expect(rest.next_cursor).toBeNull();
      }
    });

    it('audit events have the current name of their workspace, or its last one after deletion', async () => {
      const id = await makeWorkspace(server, 'going');
      await send('POST', `/presets/triplet/responses?workspace_id=${id}`, { model: 'm' });
      const workspacesOf = async (query: string) =>
        (await read(`?${query}&preset=triplet`)).map(({ workspace_id, workspace_slug, workspace_name }) => ({
          workspace_id,
          workspace_slug,
          workspace_name,
        }));
      await send('PATCH', '/workspaces/going', { slug: 'gone', name: 'Gone' });
      const renamed = { workspace_id: id, workspace_slug: 'gone', workspace_name: 'Gone' };
      expect(await workspacesOf('workspace=gone')).toEqual([renamed]);
      expect((await audit('?workspace=going')).status).toBe(404);
      expect((await send('DELETE', '/workspaces/gone')).status).toBe(200);
      expect(await workspacesOf(`workspace=${id}`)).toEqual([{ ...renamed, workspace_slug: null }]);
      for (const reference of ['gone', `~${id}`])
        expect((await audit(`?workspace=${reference}`)).status).toBe(404);
    });

    it.each([
      'workspace=nobodys',
      'workspace=',
      'workspace=%00',
      `workspace=${newId()}`,
      'workspace=default&preset=nobodys',
      'workspace=default&preset=TRIPLET',
      'workspace=nobodys&preset=triplet',
    ])('the audit filter %s is 404', async (query) => {
      const { status, body } = await audit(`?${query}`);
      expect([status, body.error.message]).toEqual([
        404,
        expect.stringMatching(/^There is no (workspace|preset) /),
      ]);
    });
  });

  it('filters audit events by time: since is inclusive, until exclusive', async () => {
    const { data, next_cursor: cursor } = (await audit('?limit=100')).body;
    const older = cursor === null ? [] : await read(`?limit=100&cursor=${cursor}`);
    const all: readonly AuditEvent[] = [...data, ...older];
    const middle = all[Math.floor(all.length / 2)]?.created_at ?? '';
    expect(await read(`?limit=100&since=${middle}`)).toEqual(all.filter((each) => each.created_at >= middle));
    expect(await read(`?limit=100&until=${middle}`)).toEqual(all.filter((each) => each.created_at < middle));
    expect(await read(`?limit=100&since=${middle}&until=${middle}`)).toEqual([]);
    const elsewhere = `${new Date(Date.parse(middle) + 2 * 3_600_000).toISOString().slice(0, -1)}+02:00`;
    expect(await read(`?limit=100&since=${encodeURIComponent(elsewhere)}`)).toEqual(
      all.filter((each) => each.created_at >= middle),
    );
    expect(await read('?since=2900-01-01T00:00:00Z')).toEqual([]);
    expect(await read('?until=1970-01-01T00:00:00Z')).toEqual([]);
    const first = (await audit(`?limit=1&until=${middle}`)).body;
    const next = (await audit(`?limit=100&until=${middle}&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...next.data]).toEqual(all.filter((each) => each.created_at < middle));
    // A cursor outside the requested times does not widen them.
    const start = (await audit('?limit=1')).body.next_cursor;
    expect(await read(`?limit=100&until=${middle}&cursor=${start}`)).toEqual(
      all.filter((each) => each.created_at < middle),
    );
  });

  it.each([
    ['kind=', '/kind'],
    ['kind=key.', '/kind'],
    ['kind=.created', '/kind'],
    ['kind=keys', '/kind'],
    ['kind=KEY', '/kind'],
    ['kind=constructor', '/kind'],
    ['kind=%00', '/kind'],
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=x', '/limit'],
    ['since=yesterday', '/since'],
    ['since=2026-02-30T00:00:00Z', '/since'],
    ['since=2026-01-01T23:59:60Z', '/since'],
    ['until=', '/until'],
    ['until=2026-01-01', '/until'],
    ['cursor=', '/cursor'],
    ['cursor=x', '/cursor'],
    [`cursor=${newId()}`, '/cursor'],
    [`cursor=2026-01-01T00:00:00.000Z_x`, '/cursor'],
    [`cursor=2026-01-01T00:00:00.000Z_${newId()}_x`, '/cursor'],
    [`cursor=2026-13-01T00:00:00.000Z_${newId()}`, '/cursor'],
    [`cursor=2026-02-30T00:00:00.000Z_${newId()}`, '/cursor'],
    [`cursor=0000-01-01T00:00:00.000Z_${newId()}`, '/cursor'],
    [`cursor=2026-01-01T24:00:00.000Z_${newId()}`, '/cursor'],
    [`cursor=2026-01-01T00:00:60.000Z_${newId()}`, '/cursor'],
    ['cursor=%00', '/cursor'],
    [`actor=${'x'.repeat(301)}`, '/actor'],
    [`workspace=${'x'.repeat(301)}`, '/workspace'],
    ['workspace=default&workspace=other', '/workspace'],
    ['preset=triplet', '/preset'],
    ['preset=', '/preset'],
    ['workspace=default&preset=', '/preset'],
    ['workspace=default&preset=..', '/preset'],
    ['workspace=default&preset=%00', '/preset'],
    ['workspace=default&preset=a%20b', '/preset'],
    [`workspace=default&preset=${'x'.repeat(129)}`, '/preset'],
    [`workspace=default&preset=${'x'.repeat(301)}`, '/preset'],
  ])('rejects the audit query %s', async (query, path) => {
    const { status, body } = await audit(`?${query}`);
    expect([status, body.error?.metadata?.issues?.[0]?.path]).toEqual([400, path]);
  });
});

function keyOf({ kind, subject, before, after }: ExpectedEvent): string {
  return `${kind} ${subject} ${JSON.stringify([before, after])}`;
}
