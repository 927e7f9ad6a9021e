import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import type { ApiKey } from '../../src/core/organization/api-key.ts';
import type { Organization } from '../../src/core/organization/organization.ts';
import type { NewVersion } from '../../src/core/presets/preset-storage.ts';
import type { Storage } from '../../src/core/storage.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migrateStorage, openStorage } from '../../src/storage/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { newKey } from '../support/members.ts';
import { owner } from '../support/preset-storage.ts';
import { storageOptions } from '../support/storage-options.ts';

describe.each(engines)('storage on %s', (engine) => {
  let database: TestDatabase;
  let storage: Storage;
  const organization: Organization = { id: newId(), name: 'Acme', defaultWorkspaceId: newId() };
  const createdAt = '2026-01-02T03:04:05.678Z';
  const author = { userId: owner.id, keyLabel: 'sk-pst-v1-ab1…9f2' };

  const newVersion = (slug: string, changes: Partial<NewVersion> = {}): NewVersion => ({
    organizationId: organization.id,
    workspaceId: organization.defaultWorkspaceId,
    slug,
    presetId: newId(),
    versionId: newId(),
    author,
    dialect: 'messages',
    configJson: '{"model":"m"}',
    extensionJson: null,
    systemPrompt: null,
    createdAt,
    ...changes,
  });
  const keyOf = (changes: Partial<ApiKey> = {}): ApiKey =>
    newKey({ ownerId: owner.id, organizationId: organization.id, createdAt, ...changes });

  beforeAll(async () => {
    database = await createDatabase(engine);
    const options = storageOptions(database);
    await migrateStorage(options);
    storage = await openStorage(options);
    await storage.organizations.bootstrap({
      organization,
      workspace: { slug: 'default', name: 'Default' },
      owner,
      keys: [],
      createdAt,
    });
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
  });

  describe('migrations', () => {
    it('several processes that migrate at once apply each migration once', async () => {
      const empty = await createDatabase(engine);
      const applied = await Promise.all(
        Array.from({ length: 8 }, () => migrateStorage(storageOptions(empty))),
      );
      const names = applied.flatMap((list) => list.map(({ name }) => name));
      expect(names.sort()).toEqual(readMigrations(engine).map(({ name }) => name));
      expect(await migrateStorage(storageOptions(empty))).toEqual([]);
      await empty.drop();
    });

    it('rejects a database with a breaking migration of a newer version and tolerates others', async () => {
      const newer = await createDatabase(engine);
      await migrateStorage(storageOptions(newer));
      const insert = (number: number, isBreaking: boolean) =>
        newer.sql(
          `INSERT INTO schema_migrations VALUES (${number}, '${number}-x', ${isBreaking}, '2027-01-01T00:00:00Z')`,
        );
      await insert(9001, false);
      expect(await migrateStorage(storageOptions(newer))).toEqual([]);
      await insert(9002, true);
      await expect(migrateStorage(storageOptions(newer))).rejects.toThrow('newer presetd');
      await newer.drop();
    });
  });

  describe('organizations', () => {
    it('several processes that bootstrap at once create one organization', async () => {
      const empty = await createDatabase(engine);
      await migrateStorage(storageOptions(empty));
      const processes = await Promise.all(
        Array.from({ length: 4 }, () => openStorage(storageOptions(empty))),
      );
      const results = await Promise.all(
        processes.map((process, index) => {
          const own = { id: newId(), name: `Acme ${index}`, defaultWorkspaceId: newId() };
          const keys = [keyOf({ organizationId: own.id })];
          const workspace = { slug: 'default', name: 'Default' };
          return process.organizations.bootstrap({ organization: own, workspace, owner, keys, createdAt });
        }),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await empty.sql('SELECT id FROM api_keys')).toHaveLength(1);
      await Promise.all(processes.map((process) => process.close()));
      await empty.drop();
    });

    it('finds the first organization with its longest-standing admin', async () => {
      expect(await storage.organizations.first()).toEqual({ organization, admin: owner });
    });
  });

  describe('secrets', () => {
    it('several processes that create a secret at once agree on one', async () => {
      const options = storageOptions(database);
      const processes = await Promise.all(Array.from({ length: 4 }, () => openStorage(options)));
      const secrets = await Promise.all(
        processes.map((process, index) => process.secrets.findOrCreate('shared', `${index}`, createdAt)),
      );
      await Promise.all(processes.map((process) => process.close()));
      expect(new Set(secrets).size).toBe(1);
      expect(await storage.secrets.findOrCreate('shared', 'late', createdAt)).toBe(secrets[0]);
    });

    it('secrets have names', async () => {
      expect(await storage.secrets.findOrCreate('one', 'a', createdAt)).toBe('a');
      expect(await storage.secrets.findOrCreate('other', 'b', createdAt)).toBe('b');
    });
  });

  describe('presets', () => {
    it('a new preset starts at version 1, named after its slug, and is returned completely', async () => {
      const version = newVersion('first', { systemPrompt: 'Be brief.', configJson: '{"b":1,"a":[1.50]}' });
      expect(await storage.presets.createVersion(version)).toEqual({
        id: version.presetId,
        workspaceId: organization.defaultWorkspaceId,
        slug: 'first',
        name: 'first',
        description: null,
        status: 'active',
        statusUpdatedAt: null,
        creatorUserId: owner.id,
        createdAt,
        updatedAt: createdAt,
        latestVersion: 1,
        revision: 1,
        designatedVersion: {
          id: version.versionId,
          presetId: version.presetId,
          version: 1,
          dialect: 'messages',
          configJson: '{"b":1,"a":[1.50]}',
          extensionJson: null,
          systemPrompt: 'Be brief.',
          creatorId: owner.id,
          createdAt,
        },
      });
    });

    it('adding a version keeps id, name, description and creator and updates updated_at', async () => {
      const first = await storage.presets.createVersion(newVersion('kept'));
      await database.sql(
        `UPDATE presets SET name = 'Kept', description = 'For tests' WHERE slug = 'kept' RETURNING id`,
      );
      const later = '2026-02-03T04:05:06.007Z';
      const second = await storage.presets.createVersion(newVersion('kept', { createdAt: later }));
      expect(second).toMatchObject({
        id: first.id,
        name: 'Kept',
        description: 'For tests',
        createdAt,
        updatedAt: later,
        designatedVersion: { version: 2, presetId: first.id, createdAt: later },
      });
    });

    it('a new version follows the latest one, not the live one', async () => {
      await storage.presets.createVersion(newVersion('rolled'));
      await storage.presets.createVersion(newVersion('rolled'));
      await database.sql(`UPDATE presets SET designated_version = 1 WHERE slug = 'rolled' RETURNING id`);
      const third = await storage.presets.createVersion(newVersion('rolled'));
      expect(third.designatedVersion.version).toBe(3);
    });

    it('concurrent creates of one slug by two processes get versions 1 to 50', async () => {
      const second = await openStorage(storageOptions(database));
      const created = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 ? storage : second).presets.createVersion(newVersion('busy')),
        ),
      );
      const numbers = created.map((preset) => preset.designatedVersion.version).sort((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
      expect(new Set(created.map((preset) => preset.id)).size).toBe(1);
      const rows = await database.sql(
        `SELECT v.version FROM preset_versions v JOIN presets p ON p.id = v.preset_id WHERE p.slug = 'busy' ORDER BY 1`,
      );
      expect(rows.map((row) => row.version)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
      const [preset] = await database.sql(
        `SELECT latest_version, designated_version FROM presets WHERE slug = 'busy'`,
      );
      expect(preset).toEqual({ latest_version: 50, designated_version: 50 });
      await second.close();
    });

    it('each create of a batch succeeds or fails on its own', async () => {
      await storage.presets.createVersion(newVersion('archived'));
      await database.sql(`UPDATE presets SET status = 'archived' WHERE slug = 'archived' RETURNING id`);
      const results = await Promise.allSettled([
        storage.presets.createVersion(newVersion('mixed-a')),
        storage.presets.createVersion(newVersion('archived')),
        storage.presets.createVersion(newVersion('mixed-b', { workspaceId: newId() })),
        storage.presets.createVersion(newVersion('mixed-c', { organizationId: newId() })),
        storage.presets.createVersion(
          newVersion('mixed-d', { author: { userId: 'user_nobody', keyLabel: '' } }),
        ),
        storage.presets.createVersion(newVersion('mixed-a')),
      ]);
      expect(
        results.map((result) =>
          result.status === 'fulfilled'
            ? result.value.designatedVersion.version
            : (result.reason.kind ?? 'defect'),
        ),
      ).toEqual([1, 'conflict', 'not_found', 'not_found', 'defect', 2]);
    });

    it('concurrent creates of several slugs number each slug separately', async () => {
      const slugs = Array.from({ length: 300 }, (_, index) => `crowd-${index % 7}`);
      const created = await Promise.all(slugs.map((slug) => storage.presets.createVersion(newVersion(slug))));
      for (const slug of new Set(slugs)) {
        const numbers = created
          .filter((preset) => preset.slug === slug)
          .map((preset) => preset.designatedVersion.version);
        expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
      }
    });

    it('slugs are case-sensitive', async () => {
      const lower = await storage.presets.createVersion(newVersion('case'));
      const upper = await storage.presets.createVersion(newVersion('CASE'));
      expect(lower.id).not.toBe(upper.id);
    });

    it('stores text in any script and numbers of any size unchanged', async () => {
      const configJson = '{"model":"Größe 🙂 \\u2028","n":[12345678901234567890,1e999,0.1]}';
      const systemPrompt = 'Zeile 1\r\n\tZeile 2 “quoted” 𝒳';
      await storage.presets.createVersion(newVersion('exact', { configJson, systemPrompt }));
      const [row] = await database.sql(
        `SELECT CAST(v.config AS TEXT) AS config, v.system_prompt FROM preset_versions v
         JOIN presets p ON p.id = v.preset_id WHERE p.slug = 'exact'`,
      );
      expect(row).toEqual({ config: configJson, system_prompt: systemPrompt });
    });

    it.each(['UPDATE preset_versions SET version = 9', 'DELETE FROM preset_versions'])(
      'the database rejects changes to versions: %s',
      async (statement) => {
        await storage.presets.createVersion(newVersion('permanent'));
        await expect(database.sql(`${statement} RETURNING id`)).rejects.toThrow('never');
      },
    );

    it('the database rejects a live version that does not exist', async () => {
      await storage.presets.createVersion(newVersion('pointer'));
      await expect(
        database.sql(`UPDATE presets SET designated_version = 7 WHERE slug = 'pointer' RETURNING id`),
      ).rejects.toThrow(/foreign key/i);
    });
  });

  it('ping succeeds while the database is available', async () => {
    await expect(storage.ping()).resolves.toBeUndefined();
  });

  it('rejects writes past the backlog limit and completes the others', async () => {
    const small = await openStorage({ ...storageOptions(database), writesWaitingMax: 2 });
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => small.presets.createVersion(newVersion('full'))),
    );
    expect(
      results.map((result) =>
        result.status === 'fulfilled' ? result.value.designatedVersion.version : result.reason.kind,
      ),
    ).toEqual([1, 2, 'unavailable', 'unavailable', 'unavailable']);
    expect((await small.presets.createVersion(newVersion('full'))).designatedVersion.version).toBe(3);
    await small.close();
  });

  it('close completes the writes that were accepted before', async () => {
    const closing = await openStorage(storageOptions(database));
    const writes = Array.from({ length: 20 }, () => closing.presets.createVersion(newVersion('closing')));
    const [, results] = await Promise.all([closing.close(), Promise.all(writes)]);
    expect(results).toHaveLength(20);
  });
});
