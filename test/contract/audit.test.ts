import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditKind } from '../../src/core/audit/audit-kinds.ts';
import type { AuditEvent, AuditFilter } from '../../src/core/audit/audit-storage.ts';
import { readAudit } from '../../src/core/audit/read-audit.ts';
import type { Author } from '../../src/core/event.ts';
import { newId } from '../../src/core/identifiers.ts';
import type { ResolvedKey } from '../../src/core/organization/caller.ts';
import { organizationEvent } from '../../src/core/organization/organization-event.ts';
import type { OrganizationEventKind } from '../../src/core/organization/organization-event-kinds.ts';
import { deleteWorkspace, editWorkspace } from '../../src/core/organization/workspace-change.ts';
import { edit } from '../../src/core/presets/preset-change.ts';
import { engines } from '../support/engines.ts';
import { newKey, newMember } from '../support/members.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { owner, time } from '../support/preset-storage.ts';
import { createRandom } from '../support/random.ts';
import { resolvedKey } from '../support/sample-key.ts';

describe.each(engines)('the audit log on %s', (engine) => {
  let acme: OrganizationStorage;
  beforeAll(async () => {
    acme = await createOrganizationStorage(engine);
  });
  afterAll(() => acme.close());

  /** A management key of the owner, as authentication resolves it. */
  const caller = (organizationId = acme.organizationId): ResolvedKey =>
    resolvedKey(newKey({ ownerId: owner.id, organizationId }), {
      defaultWorkspaceId: acme.workspace.workspaceId,
    });

  describe('events of presets', () => {
    it('audit events of a preset have its slug as subject, in order', async () => {
      const at = time(10_000);
      const preset = await acme.create('audited', 10_000);
      await acme.apply('audited', edit({ name: 'Named', description: 'Described' }), at);
      const common = {
        workspaceId: acme.workspace.workspaceId,
        workspaceName: 'Default',
        workspaceSlug: 'default',
        subject: { id: preset.id, name: 'audited' },
        actorId: owner.id,
        actorEmail: owner.email,
        keyLabel: acme.author.keyLabel,
        createdAt: at,
      };
      const events = await acme.eventsAt(at);
      expect(events).toEqual([
        {
          ...common,
          id: preset.designatedVersion.id,
          kind: 'preset.created',
          before: null,
          after: { version: 1, designated_version: 1 },
        },
        {
          ...common,
          id: expect.any(String),
          kind: 'preset.renamed',
          before: { name: 'audited' },
          after: { name: 'Named' },
        },
        {
          ...common,
          id: expect.any(String),
          kind: 'preset.described',
          before: { description: null },
          after: { description: 'Described' },
        },
      ]);
      const own = await acme.events('audited');
      expect(own.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    });

    it('audit events of presets outlive their workspace', async () => {
      const { id: workspaceId } = await acme.createWorkspace('short-lived');
      await acme.create('remembered', 10_010, { workspaceId });
      await acme.changeWorkspace(workspaceId, deleteWorkspace, time(10_011));
      expect(await acme.eventsAt(time(10_010))).toMatchObject([
        {
          kind: 'preset.created',
          workspaceId,
          workspaceName: 'short-lived',
          workspaceSlug: null,
          subject: { name: 'remembered' },
        },
      ]);
    });
  });

  it('audit events keep the name that a subject had at the time', async () => {
    const created = await acme.createWorkspace('then', { createdAt: time(10_020) });
    await acme.changeWorkspace('then', editWorkspace({ slug: 'now' }), time(10_021));
    await acme.changeWorkspace('now', deleteWorkspace, time(10_022));
    const names = await Promise.all(
      [10_020, 10_021, 10_022].map(async (at) => (await acme.eventsAt(time(at)))[0]?.subject),
    );
    expect(names).toEqual([
      { id: created.id, name: 'then' },
      { id: created.id, name: 'then' },
      { id: created.id, name: 'now' },
    ]);
  });

  it('an audit event has no email for an unknown actor and no label without a key', async () => {
    const person = { email: 'added-by-nobody@example.com' };
    const author: Author = { userId: 'user_gone', keyLabel: null };
    await acme.storage.members.upsert(acme.organizationId, author, [person], () => ({
      at: time(10_030),
      next: newMember({ id: 'user_added', email: person.email }),
      events: [organizationEvent('member.added', null, { id: 'user_added', name: person.email }, null, null)],
    }));
    expect(await acme.eventsAt(time(10_030))).toMatchObject([
      {
        actorId: 'user_gone',
        actorEmail: null,
        keyLabel: null,
        workspaceId: null,
        before: null,
        after: null,
      },
    ]);
  });

  describe('findActor', () => {
    it('finds the actor of events by id or email in any case, even after they left', async () => {
      const member = await acme.addMember({ email: 'Actor.Once@example.com' });
      for (const reference of [member.id, member.email, ' ACTOR.once@EXAMPLE.com '])
        expect(await acme.storage.audit.findActor(reference)).toBe(member.id);
      await acme.removeMember(member.id);
      expect(await acme.storage.audit.findActor(member.email)).toBe(member.id);
      for (const reference of ['', '%', 'user_nobody', 'nobody@example.com'])
        expect(await acme.storage.audit.findActor(reference)).toBeUndefined();
    });
  });

  describe('pages and filters', () => {
    const random = createRandom(3);
    const kinds: readonly OrganizationEventKind[] = ['key.created', 'key.renamed', 'member.renamed'];
    let organizationId: string;
    let actors: readonly string[] = [];
    /** In the order in which they must be listed. */
    let all: readonly AuditEvent[] = [];

    beforeAll(async () => {
      const organization = await acme.addOrganization();
      organizationId = organization.organizationId;
      actors = [organization.admin.id, owner.id];
      for (let round = 0; round < 40; round += 1) {
        const author = { userId: random.pick(actors), keyLabel: null };
        const at = time(20_000 + random.below(4) / 1_000);
        await acme.storage.members.change(organizationId, organization.admin.id, author, (current) => ({
          at,
          next: current,
          events: Array.from({ length: 1 + random.below(8) }, () =>
            organizationEvent(random.pick(kinds), null, { id: 'x', name: 'x' }, null, { round }),
          ),
        }));
      }
      all = (await list({ since: time(20_000) })).toSorted((one, other) =>
        `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}` ? 1 : -1,
      );
    });

    const list = (filter: AuditFilter, limit = 10_000) =>
      acme.storage.audit.list(organizationId, filter, limit);

    const paged = async (filter: AuditFilter, limit: number) => {
      const pages: AuditEvent[][] = [];
      for (let after = filter.after; ; ) {
        const some = await list({ ...filter, after }, limit);
        if (some.length === 0) return pages.flat();
        expect(some.length).toBeLessThanOrEqual(limit);
        pages.push([...some]);
        after = some.at(-1);
      }
    };

    it('the audit log is ordered newest first', async () => {
      expect(all.length).toBeGreaterThan(100);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expect(new Set(all.map(({ createdAt }) => createdAt)).size).toBe(4);
      expect(await list({ since: time(20_000) })).toEqual(all);
      expect(await list({ since: time(20_000) }, 7)).toEqual(all.slice(0, 7));
    });

    it.each([1, 7, 50])('pages of %i events have no gaps or repeats', async (limit) => {
      expect(await paged({ since: time(20_000) }, limit)).toEqual(all);
    });

    it('pages have no gaps or repeats when events are added between them', async () => {
      const first = await list({ since: time(20_000) }, 20);
      await acme.storage.members.change(organizationId, actors[0] ?? '', acme.author, (current) => ({
        at: time(20_001),
        next: current,
        events: [organizationEvent('key.deleted', null, { id: 'x', name: 'x' }, null, null)],
      }));
      const rest = await paged({ since: time(20_000), after: first.at(-1) }, 20);
      expect([...first, ...rest]).toEqual(all);
    });

    const moments = [0, 1, 2, 3].map((ms) => time(20_000 + ms / 1_000));
    const filters: readonly (readonly [string, (actor: string) => AuditFilter])[] = [
      ['an actor', (actorId) => ({ actorId })],
      ['a kind', () => ({ kinds: ['key.renamed'] })],
      ['several kinds', () => ({ kinds: ['key.renamed', 'member.renamed', 'key.rotated'] })],
      ['an actor and a kind', (actorId) => ({ actorId, kinds: ['key.renamed'] })],
      ['a start time', () => ({ since: moments[2] })],
      ['an end time', () => ({ until: moments[2] })],
      ['a start and an end time', () => ({ since: moments[1], until: moments[3] })],
      ['an empty time range', () => ({ since: moments[1], until: moments[1] })],
      [
        'everything at once',
        (actorId) => ({ actorId, kinds: ['key.created'], since: moments[1], until: moments[3] }),
      ],
    ];

    it.each(filters)('the audit log can be filtered by %s', async (_, filterOf) => {
      const filter: AuditFilter = { since: time(20_000), until: time(20_000.5), ...filterOf(owner.id) };
      const { actorId, kinds, since = '', until = '' } = filter;
      const expected = all.filter(
        (event) =>
          (actorId === undefined || event.actorId === actorId) &&
          (kinds === undefined || kinds.includes(event.kind)) &&
          event.createdAt >= since &&
          event.createdAt < until,
      );
      if (since !== until) expect(expected.length).toBeGreaterThan(3);
      expect(await list(filter)).toEqual(expected);
      expect(await paged(filter, 3)).toEqual(expected);
    });

    it('a cursor beyond the end time starts the page at the end time', async () => {
      const [newest] = all;
      const until = moments[2] ?? '';
      const expected = all.filter(({ createdAt }) => createdAt < until);
      expect(await list({ since: time(20_000), until, after: newest })).toEqual(expected);
      const borderline = { createdAt: until, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
      expect(await list({ since: time(20_000), until, after: borderline })).toEqual(expected);
    });

    it('the audit log contains nothing of other organizations', async () => {
      const others = await acme.storage.audit.list(acme.organizationId, { since: time(20_000) }, 10_000);
      expect(others).toEqual([]);
      expect(await acme.storage.audit.list(newId(), {}, 10_000)).toEqual([]);
      const mine = await acme.storage.audit.list(acme.organizationId, { actorId: actors[0] }, 10_000);
      expect(mine).toEqual([]);
    });

    describe('readAudit', () => {
      const read = (query: Partial<Parameters<typeof readAudit>[2]>) =>
        readAudit(acme.storage.audit, caller(organizationId), {
          since: time(20_000),
          until: time(20_000.5),
          limit: 10_000,
          ...query,
        });

      it.each([
        ['key', ['key.created', 'key.renamed']],
        ['member', ['member.renamed']],
        ['key.created', ['key.created']],
        ['workspace', []],
        [undefined, ['key.created', 'key.renamed', 'member.renamed']],
      ] as readonly [string | undefined, readonly AuditKind[]][])(
        'the kind filter %s selects its events in pages without gaps or repeats',
        async (kind, meant) => {
          const expected = all.filter((event) => meant.includes(event.kind));
          expect(await read({ kind })).toEqual({ events: expected, nextCursor: null });
          const events: AuditEvent[] = [];
          let pages = 0;
          for (let cursor: string | undefined; ; pages += 1) {
            const page = await read({ kind, limit: 9, cursor });
            events.push(...page.events);
            if (page.nextCursor === null) break;
            cursor = page.nextCursor;
          }
          expect(events).toEqual(expected);
          expect(pages).toBe(Math.max(0, Math.ceil(expected.length / 9) - 1));
        },
      );

      it('the actor filter accepts an id or email and selects nothing for an unknown actor', async () => {
        const expected = all.filter(({ actorId }) => actorId === owner.id);
        for (const actor of [owner.id, owner.email.toUpperCase()])
          expect((await read({ actor })).events).toEqual(expected);
        for (const actor of ['user_nobody', '', '\u0000'])
          expect(await read({ actor })).toEqual({ events: [], nextCursor: null });
      });
    });
  });
});
