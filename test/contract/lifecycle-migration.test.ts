import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { type PresetStatus, presetStatuses } from '../../src/core/presets/preset.ts';
import { edit } from '../../src/core/presets/preset-change.ts';
import type { Storage } from '../../src/core/storage.ts';
import { splitWords } from '../../src/core/text/words.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migrateStorage, openStorage } from '../../src/storage/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { owner, time } from '../support/preset-storage.ts';
import { storageOptions } from '../support/storage-options.ts';

const first = { organizationId: newId(), workspaceId: newId() };
const second = { organizationId: newId(), workspaceId: newId() };
const workspaces = [first, second];

const presets = [
  { workspace: first, slug: 'Mail.Bot_2~x--x', status: 'active', versions: 3 },
  { workspace: first, slug: 'single', status: 'active', versions: 1 },
  { workspace: first, slug: '~._-', status: 'active', versions: 1 },
  { workspace: first, slug: `a-${'L'.repeat(126)}`, status: 'disabled', versions: 2 },
  { workspace: first, slug: 'shelved', status: 'archived', versions: 2 },
  { workspace: second, slug: 'single', status: 'active', versions: 12 },
].map((preset) => ({ ...preset, id: newId(), versionIds: Array.from({ length: preset.versions }, newId) }));

describe.each(engines)('the lifecycle migration on %s', (engine) => {
  let database: TestDatabase;
  let storage: Storage;

  beforeAll(async () => {
    database = await createDatabase(engine);
    const [foundation] = readMigrations(engine);
    await database.transaction(
      foundation?.sql ?? '',
      `CREATE TABLE schema_migrations (
         number integer PRIMARY KEY, name text NOT NULL, is_breaking ${engine === 'sqlite' ? 'integer' : 'boolean'} NOT NULL,
         applied_at ${engine === 'sqlite' ? 'text' : 'timestamptz'} NOT NULL
       )`,
      `INSERT INTO schema_migrations VALUES (1, '${foundation?.name}', false, '${time(0)}')`,
    );
    await database.transaction(...rows());
    expect((await migrateStorage(storageOptions(database))).map(({ name }) => name)).toEqual(
      readMigrations(engine)
        .slice(1)
        .map(({ name }) => name),
    );
    storage = await openStorage(storageOptions(database));
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
  });

  it('the lifecycle migration counts existing presets by status', async () => {
    for (const workspace of workspaces) {
      for (const status of presetStatuses) {
        const own = presets.filter((preset) => preset.workspace === workspace && preset.status === status);
        const filter = { statuses: [status], words: undefined };
        const listed = await storage.presets.list(workspace, filter, { offset: 0, limit: 10 });
        expect(listed?.totalCount).toBe(own.length);
        expect(listed?.presets.map(({ id }) => id).sort()).toEqual(own.map(({ id }) => id).sort());
      }
    }
  });

  it.each(presets)('the lifecycle migration indexes the words of $slug', async ({ id, slug, workspace }) => {
    const found = await database.sql(`SELECT word, workspace_id FROM preset_words WHERE preset_id = '${id}'`);
    expect(found.map(({ word }) => word).sort()).toEqual([...splitWords(slug)].sort());
    for (const row of found) expect(row.workspace_id).toBe(workspace.workspaceId);
  });

  it.each(presets)(
    'the lifecycle migration writes an event for each version of $slug',
    async ({ workspace, slug, id, versionIds }) => {
      const state = await storage.presets.state({ ...workspace, slug });
      expect(state).toMatchObject({ id, revision: versionIds.length, latestVersion: versionIds.length });
      const events = state && (await storage.presets.events(state, { offset: 0, limit: 100 }));
      expect(events?.toReversed()).toEqual(
        versionIds.map((versionId, index) => ({
          id: versionId,
          number: index + 1,
          kind: index === 0 ? 'preset.created' : 'preset.version_added',
          before: index === 0 ? null : { designated_version: index },
          after: { version: index + 1, designated_version: index + 1 },
          actorId: owner.id,
          actorEmail: owner.email,
          keyLabel: null,
          createdAt: time(index + 1),
        })),
      );
    },
  );

  it('a migrated preset continues its version and event numbers', async () => {
    const address = { ...second, slug: 'single' };
    const author = { userId: owner.id, keyLabel: 'sk-…' };
    const created = await storage.presets.createVersion({
      ...address,
      presetId: newId(),
      versionId: newId(),
      author,
      dialect: 'messages',
      configJson: '{}',
      extensionJson: null,
      systemPrompt: null,
      createdAt: time(60),
    });
    expect(created).toMatchObject({ revision: 13, latestVersion: 13, designatedVersion: { version: 13 } });
    const renamed = await storage.presets.change(
      address,
      author,
      (current) => current && edit({ name: 'Renamed', designatedVersion: 5 })(current, time(61)),
    );
    expect(renamed?.preset).toMatchObject({ revision: 15, designatedVersion: { version: 5 } });
    const state = await storage.presets.state(address);
    const [designated, named, added] =
      (state && (await storage.presets.events(state, { offset: 0, limit: 3 }))) ?? [];
    expect(designated).toMatchObject({ number: 15, before: { designated_version: 13 } });
    expect(named).toMatchObject({ number: 14, after: { name: 'Renamed' } });
    expect(added).toMatchObject({ number: 13, before: { designated_version: 12 }, keyLabel: 'sk-…' });
    const filter = { statuses: ['active'] as PresetStatus[], words: ['renamed', 'single'] };
    expect(await storage.presets.list(address, filter, { offset: 0, limit: 9 })).toMatchObject({
      totalCount: 1,
    });
  });

  it('after the lifecycle migration the database rejects writes of older servers', async () => {
    const [workspace] = workspaces;
    const insert = `INSERT INTO presets (
        id, workspace_id, slug, name, status, latest_version, designated_version, creator_user_id, created_at, updated_at
      ) VALUES (
        '${newId()}', '${workspace?.workspaceId}', 'late', 'late', 'active', 1, 1, '${owner.id}', '${time(0)}', '${time(0)}'
      )`;
    await expect(database.transaction(insert)).rejects.toThrow(/newer version of presetd|"revision"/);
  });
});

/** Rows as a server of that version would have left them. */
function rows(): readonly string[] {
  const values = (...list: readonly (string | number | null)[]) =>
    `(${list.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join()})`;
  return [
    `INSERT INTO organizations (id, name, default_workspace_id, created_at) VALUES ${workspaces
      .map(({ organizationId, workspaceId }) => values(organizationId, 'Acme', workspaceId, time(0)))
      .join()}`,
    `INSERT INTO workspaces VALUES ${workspaces
      .map(({ organizationId, workspaceId }) =>
        values(workspaceId, organizationId, 'default', 'Default', time(0)),
      )
      .join()}`,
    `INSERT INTO users VALUES ${values(owner.id, owner.email, owner.email, 'Ada', 'L', time(0))}`,
    `INSERT INTO presets VALUES ${presets
      .map(({ id, workspace, slug, status, versions }) => {
        const names = [id, workspace.workspaceId, slug, slug, null, status, null];
        return values(...names, versions, versions, owner.id, time(1), time(versions));
      })
      .join()}`,
    `INSERT INTO preset_versions VALUES ${presets
      .flatMap(({ id, versionIds }) =>
        versionIds.map((versionId, index) =>
          values(versionId, id, index + 1, 'messages', '{}', null, owner.id, time(index + 1)),
        ),
      )
      .join()}`,
  ];
}
