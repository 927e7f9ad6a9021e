import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditKind } from '../../src/core/audit/audit-kinds.ts';
import type { AuditEvent, AuditFilter } from '../../src/core/audit/audit-storage.ts';
import { newId } from '../../src/core/identifiers.ts';
import { organizationEvent } from '../../src/core/organization/organization-event.ts';
import { deleteWorkspace, editWorkspace } from '../../src/core/organization/workspace-change.ts';
import { edit } from '../../src/core/presets/preset-change.ts';
import { migrateStorage } from '../../src/storage/open.ts';
import { engines } from '../support/engines.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { owner, time } from '../support/preset-storage.ts';
import { createRandom } from '../support/random.ts';
import { storageOptions } from '../support/storage-options.ts';

const slugs = ['summary', 'ranking'] as const;
const moments = [0, 1, 2, 3].map((ms) => time(20_000 + ms / 1_000));

describe.each(engines)('the audit log by workspace and preset on %s', (engine) => {
  const random = createRandom(5);
  let acme: OrganizationStorage;
  let workspaceIds: readonly string[] = [];
  let presetIds: readonly string[] = [];
  let actors: readonly string[] = [];
  /** All events, in the order in which they must be listed. */
  let all: readonly AuditEvent[] = [];

  const list = (filter: AuditFilter, limit = 10_000) =>
    acme.storage.audit.list(acme.organizationId, filter, limit);

  beforeAll(async () => {
    acme = await createOrganizationStorage(engine);
    const others = await Promise.all(['search', 'billing'].map((slug) => acme.createWorkspace(slug)));
    workspaceIds = [acme.workspace.workspaceId, ...others.map(({ id }) => id)];
    actors = [owner.id, (await acme.addMember()).id, (await acme.addMember()).id];
    for (let round = 0; round < 120; round += 1) await makeRandomChange(random.pick(workspaceIds));
    all = await list({ since: moments[0] });
    presetIds = [...new Set(all.filter(isOfPreset).map(({ subject }) => subject.id))];
  });
  afterAll(() => acme.close());

  const isOfPreset = ({ kind }: AuditEvent) => kind.startsWith('preset.');

  /** Performs a random change in a workspace. */
  async function makeRandomChange(workspaceId: string): Promise<void> {
    const at = random.pick(moments);
    const author = { userId: random.pick(actors), keyLabel: null };
    const { organizationId, storage } = acme;
    const slug = random.pick(slugs);
    const address = { organizationId, workspaceId, slug };
    const exists = (await storage.presets.state(address)) !== undefined;
    if (random.below(3) === 0) {
      const subject = { id: newId(), name: 'sk-pst-v1-ab1…9f2' };
      const event = organizationEvent('key.renamed', workspaceId, subject, null, null);
      await storage.members.change(organizationId, owner.id, author, (next) => ({
        at,
        next,
        events: [event],
      }));
    } else if (exists && random.below(2) === 0) {
      const rule = edit({ name: newId(), description: newId() });
      await storage.presets.change(address, author, (current) => current && rule(current, at));
    } else await acme.create(slug, 0, { workspaceId, author, createdAt: at });
  }

  it('the generated audit log covers every preset and several kinds', () => {
    expect(all.length).toBeGreaterThan(120);
    expect(presetIds).toHaveLength(6);
    expect(new Set(all.map(({ kind }) => kind)).size).toBe(5);
  });

  const kindChoices: readonly (readonly AuditKind[] | undefined)[] = [
    undefined,
    ['preset.renamed'],
    ['preset.created', 'preset.version_added', 'key.renamed'],
    ['member.removed'],
  ];
  const timeChoices = [
    { since: moments[0] },
    { since: moments[1], until: moments[3] },
    { since: moments[2], until: moments[2] },
  ];
  const combinations = [false, true].flatMap((hasActor) =>
    kindChoices.flatMap((kinds) => timeChoices.map((times) => ({ hasActor, kinds, times }))),
  );

  it.each(['workspaceId', 'presetId'] as const)(
    'filtering by %s combines with every other filter',
    async (scope) => {
      const ids = scope === 'workspaceId' ? workspaceIds : presetIds;
      for (const { hasActor, kinds, times } of combinations) {
        const found: AuditEvent[] = [];
        for (const id of ids) {
          const filter: AuditFilter = {
            ...times,
            kinds,
            [scope]: id,
            actorId: hasActor ? actors[1] : undefined,
          };
          const expected = all.filter((event) => matches(event, filter));
          expect([filter, await list(filter)]).toEqual([filter, expected]);
          expect([filter, await paged(filter, 3)]).toEqual([filter, expected]);
          found.push(...expected);
        }
        const isPossible = times.until !== times.since && kinds?.[0] !== 'member.removed';
        expect(found.length > 0).toBe(isPossible);
      }
    },
  );

  function matches(event: AuditEvent, filter: AuditFilter): boolean {
    const { actorId, kinds, workspaceId, presetId, since = '', until = '9' } = filter;
    return (
      (actorId === undefined || event.actorId === actorId) &&
      (kinds === undefined || kinds.includes(event.kind)) &&
      (workspaceId === undefined || event.workspaceId === workspaceId) &&
      (presetId === undefined || event.subject.id === presetId) &&
      event.createdAt >= since &&
      event.createdAt < until
    );
  }

  async function paged(filter: AuditFilter, limit: number): Promise<readonly AuditEvent[]> {
    const events: AuditEvent[] = [];
    for (;;) {
      const page = await list({ ...filter, after: events.at(-1) }, limit);
      events.push(...page);
      if (page.length < limit) return events;
    }
  }

  it('filters reveal no workspace or preset of another organization', async () => {
    const { organizationId } = await acme.addOrganization();
    const [workspaceId, presetId] = [workspaceIds[0], presetIds[0]];
    for (const filter of [{ workspaceId }, { presetId }, { workspaceId, actorId: owner.id }])
      expect(await acme.storage.audit.list(organizationId, filter, 100)).toEqual([]);
    expect(await acme.storage.audit.findWorkspace(organizationId, workspaceId ?? '')).toBeUndefined();
    expect(await acme.storage.audit.findWorkspace(organizationId, 'search')).toBeUndefined();
  });

  it('lists events of a kind that only a newer version knows', async () => {
    const workspaceId = (await acme.createWorkspace('future')).id;
    const subject = { id: newId(), name: 'x' };
    const event = {
      ...organizationEvent('key.renamed', workspaceId, subject, null, null),
      kind: 'later.done',
    };
    await acme.database.sql(
      `INSERT INTO audit_events (id, organization_id, workspace_id, kind, actor_id, subject_id, subject_name, created_at)
       VALUES ('${event.id}', '${acme.organizationId}', '${workspaceId}', '${event.kind}', '${owner.id}', 'x', 'x', '${time(30_000)}')`,
    );
    for (const filter of [{ workspaceId }, { workspaceId, actorId: owner.id }])
      expect((await list(filter)).map(({ kind }) => kind)).toContain('later.done');
  });

  it('events show the current name of their workspace, and a deleted one is found by id', async () => {
    const { audit } = acme.storage;
    const { id } = await acme.createWorkspace('old-slug', { name: 'Old name' });
    await acme.create('kept', 40_000, { workspaceId: id });
    const presetId = await audit.findPreset(id, 'kept');
    const read = async () => (await list({ presetId }))[0];
    await acme.changeWorkspace(id, editWorkspace({ slug: 'new-slug', name: 'New name' }));
    expect(await read()).toMatchObject({ workspaceSlug: 'new-slug', workspaceName: 'New name' });
    for (const reference of [id, id.toUpperCase(), 'new-slug'])
      expect(await audit.findWorkspace(acme.organizationId, reference)).toBe(id);
    expect(await audit.findWorkspace(acme.organizationId, 'old-slug')).toBeUndefined();
    await acme.changeWorkspace(id, deleteWorkspace);
    expect(await read()).toMatchObject({ workspaceSlug: null, workspaceName: 'New name', workspaceId: id });
    expect(await audit.findWorkspace(acme.organizationId, id)).toBe(id);
    for (const reference of ['new-slug', `~${id}`, '', '%'])
      expect(await audit.findWorkspace(acme.organizationId, reference)).toBeUndefined();
    expect(await audit.findPreset(id, 'kept')).toBe(presetId);
    for (const slug of ['KEPT', 'none', '']) expect(await audit.findPreset(id, slug)).toBeUndefined();
  });

  it.runIf(engine === 'postgres')(
    'the migration keeps an index that was built in advance, unless it is incomplete',
    async () => {
      const { database } = acme;
      const built = () =>
        database.sql(`SELECT indexrelid::regclass::text AS name, indexrelid::int AS id, indisvalid AS is_valid FROM pg_index
        WHERE indrelid = 'audit_events'::regclass AND indexrelid::regclass::text ~ 'workspace|preset_actor' ORDER BY 1`);
      const before = await built();
      expect(before).toHaveLength(3);
      const [unfinished, ...finished] = before;
      await database.sql(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = ${unfinished?.id}`);
      await database.sql(`DELETE FROM schema_migrations WHERE name = '0006-audit-filters'`);
      await migrateStorage(storageOptions(database));
      const [rebuilt, ...kept] = await built();
      expect(rebuilt).toEqual({ ...unfinished, id: expect.any(Number), is_valid: true });
      expect(rebuilt?.id).not.toBe(unfinished?.id);
      expect(kept).toEqual(finished);
    },
  );

  it('filters find events that an older version wrote before or after the migration', async () => {
    const indexes = ['by_workspace', 'by_workspace_actor', 'by_preset_actor'].map(
      (by) => `audit_events_${by}`,
    );
    const other = await createOrganizationStorage(engine);
    try {
      for (const index of indexes) await other.database.sql(`DROP INDEX ${index}`);
      await other.database.sql(`DELETE FROM schema_migrations WHERE name = '0006-audit-filters'`);
      await other.create('summary', 1);
      const applied = await migrateStorage(storageOptions(other.database));
      expect(applied.map(({ name }) => name)).toEqual(['0006-audit-filters']);
      await other.create('summary', 2);
      const newest = await other.open();
      const { workspaceId } = other.workspace;
      const presetId = await newest.audit.findPreset(workspaceId, 'summary');
      for (const filter of [{ workspaceId }, { presetId }, { presetId, actorId: owner.id }]) {
        const events = await newest.audit.list(other.organizationId, filter, 10);
        expect(events.map(({ kind }) => kind)).toEqual(['preset.version_added', 'preset.created']);
      }
    } finally {
      await other.close();
    }
  });
});
