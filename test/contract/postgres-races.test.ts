import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import type { PresetState } from '../../src/core/presets/preset.ts';
import {
  addAlias,
  addVersion,
  archive,
  edit,
  emptyPreset,
  moveLabel,
  removeAlias,
} from '../../src/core/presets/preset-change.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

describe.runIf(engines.includes('postgres'))(
  'preset changes that race with other transactions on PostgreSQL',
  () => {
    let preset: PresetStorage;
    let rival: pg.Client;
    beforeAll(async () => {
      preset = await createPresetStorage('postgres');
      rival = new pg.Client({ connectionString: preset.database.url });
      await rival.connect();
    });
    afterAll(async () => {
      await rival.end();
      await preset.close();
    });

    const waitingCount = async () => {
      // Inside a transaction, activity statistics are cached after their first use.
      await rival.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await rival.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0]?.waiting ?? 0;
    };
    const add = (slug: string) =>
      preset.storage.presets.change(preset.address(slug), preset.author, (current: PresetState | undefined) =>
        addVersion(current ?? emptyPreset(preset.address(slug), newId(), owner.id, time(0)), {
          id: newId(),
          presetId: '',
          version: 0,
          dialect: 'responses',
          configJson: '{}',
          extensionJson: null,
          systemPrompt: null,
          creatorId: owner.id,
          createdAt: time(0),
        }),
      );

    it('a change does not overwrite a preset that is created after it looked for one', async () => {
      // Reading a preset's state waits for this lock; locking or inserting a preset does not.
      await rival.query('BEGIN; LOCK TABLE preset_labels IN ACCESS EXCLUSIVE MODE');
      let finished = 0;
      const counted = async <T>(work: Promise<T>) => {
        const result = await work;
        finished += 1;
        return result;
      };
      const allWaitOrFinish = async (count: number) => {
        while ((await waitingCount()) + finished < count);
      };
      const changes = [1, 2, 3].map(() => counted(add('appearing')));
      await allWaitOrFinish(3);
      const creation = counted(preset.create('appearing'));
      await allWaitOrFinish(4);
      await rival.query('COMMIT');
      const versions = [await creation, ...(await Promise.all(changes)).map((changed) => changed?.preset)];
      expect(versions.map((each) => each?.designatedVersion.version).sort()).toEqual([1, 2, 3, 4]);
      expect(await preset.state('appearing')).toMatchObject({ latestVersion: 4, revision: 4 });
    });

    it('a change is retried when another transaction creates the preset first', async () => {
      const [presetId, versionId] = [newId(), newId()];
      await rival.query('BEGIN');
      await rival.query(
        `INSERT INTO presets (
         id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id,
         created_at, updated_at
       ) VALUES ($1, $2, 'overtaken', 'First', 'active', 1, 1, 1, $3, now(), now())`,
        [presetId, preset.workspace.workspaceId, owner.id],
      );
      await rival.query(`INSERT INTO preset_versions VALUES ($1, $2, 1, 'messages', '{}', NULL, $3, now())`, [
        versionId,
        presetId,
        owner.id,
      ]);
      const change = add('overtaken');
      while ((await waitingCount()) === 0);
      await rival.query('COMMIT');
      expect((await change)?.preset).toMatchObject({
        id: presetId,
        name: 'First',
        revision: 2,
        designatedVersion: { version: 2 },
      });
    });

    it('an alias that is removed while its preset is indexed is no longer found', async () => {
      await preset.create('osprey');
      await preset.apply('osprey', addAlias('hawk'));
      // A change stores its events last.
      await rival.query('BEGIN; LOCK TABLE audit_events IN EXCLUSIVE MODE');
      const removal = preset.apply('osprey', removeAlias('hawk'));
      while ((await waitingCount()) === 0);
      await preset.storage.presets.index();
      await rival.query('COMMIT');
      await removal;
      await preset.storage.presets.index();
      const filter = { statuses: ['active' as const], words: ['hawk'] };
      const page = await preset.storage.presets.list(preset.workspace, filter, { offset: 0, limit: 9 });
      expect(page?.presets).toEqual([]);
    });

    it('a change is retried after a deadlock with another transaction', async () => {
      await preset.create('embraced');
      await rival.query('BEGIN');
      // The server ends a transaction that has waited this long in a deadlock; it must be the
      // change.
      await rival.query(`SET LOCAL deadlock_timeout = '1min'`);
      await rival.query('SELECT 1 FROM preset_counts FOR UPDATE');
      let runs = 0;
      const change = preset.apply('embraced', (current, at) => {
        runs += 1;
        return archive(current, at);
      });
      while ((await waitingCount()) === 0);
      // The change has locked the preset and waits for the count: now each waits for the other.
      await rival.query(`SELECT 1 FROM presets WHERE slug = 'embraced' FOR UPDATE`);
      await rival.query('COMMIT');
      expect(await change).toMatchObject({ preset: { status: 'archived', revision: 2 } });
      // A retry that locks the preset before the other transaction wakes up ends in another
      // deadlock.
      expect(runs).toBeGreaterThanOrEqual(2);
    });

    /** Starts the work while the rival holds its changes, and commits those when the work waits. */
    const raced = async <T>(work: () => Promise<T>): Promise<T> => {
      const racing = work();
      racing.catch(() => {});
      while ((await waitingCount()) === 0);
      await rival.query('COMMIT');
      return racing;
    };
    const rivalAddsAlias = (alias: string, slug: string) =>
      rival.query(
        `INSERT INTO preset_aliases SELECT workspace_id, $1, id, now() FROM presets WHERE slug = $2`,
        [alias, slug],
      );

    it('a create under a name that becomes an alias meanwhile adds a version to its preset', async () => {
      const { id } = await preset.create('aliased');
      await rival.query('BEGIN');
      await rivalAddsAlias('aliased-too', 'aliased');
      const names = ['aliased-too', 'unrelated', 'aliased-too'];
      const created = await raced(() => Promise.all(names.map((name) => preset.create(name))));
      expect(created.map(({ slug, latestVersion }) => [slug, latestVersion])).toEqual([
        ['aliased', 2],
        ['unrelated', 1],
        ['aliased', 3],
      ]);
      expect(created[0]?.id).toBe(id);
    });

    it('a create under a slug that is changed meanwhile adds a version to the renamed preset', async () => {
      const { id } = await preset.create('before');
      await rival.query('BEGIN');
      await rival.query(`UPDATE presets SET slug = 'after' WHERE id = $1`, [id]);
      await rivalAddsAlias('before', 'after');
      const created = await raced(() => preset.create('before'));
      expect(created).toMatchObject({ id, slug: 'after', designatedVersion: { version: 2 } });
    });

    it('a change under a slug that is changed meanwhile changes the renamed preset', async () => {
      const { id } = await preset.create('old-slug');
      await rival.query('BEGIN');
      await rival.query(`UPDATE presets SET slug = 'new-slug' WHERE id = $1`, [id]);
      await rivalAddsAlias('old-slug', 'new-slug');
      const changed = await raced(() => preset.apply('old-slug', moveLabel('production', 1)));
      expect(changed?.preset).toMatchObject({ id, slug: 'new-slug', revision: 2 });
    });

    it('a change under an alias that is given to another preset meanwhile changes that one', async () => {
      await preset.create('gives');
      const { id } = await preset.create('receives');
      await preset.apply('gives', addAlias('given'));
      await rival.query('BEGIN');
      await rival.query(`SELECT 1 FROM presets WHERE slug = 'gives' FOR UPDATE`);
      await rival.query(`DELETE FROM preset_aliases WHERE alias = 'given'`);
      await rivalAddsAlias('given', 'receives');
      const changed = await raced(() => preset.apply('given', moveLabel('production', 1)));
      expect(changed?.preset).toMatchObject({ id, slug: 'receives' });
      expect((await preset.state('gives')).labels.size).toBe(0);
    });

    it.each([
      ['an alias', addAlias('taken-first')],
      ['a slug', edit({ slug: 'taken-first' })],
    ])('%s that another transaction takes first is refused', async (_, rule) => {
      await preset.database.sql(`DELETE FROM preset_aliases WHERE alias = 'taken-first'`);
      for (const slug of ['is-first', 'is-second']) await preset.create(slug);
      await rival.query('BEGIN');
      await rivalAddsAlias('taken-first', 'is-first');
      await expect(raced(() => preset.apply('is-second', rule))).rejects.toMatchObject({
        kind: 'conflict',
        message: expect.stringContaining('an alias of the preset "is-first"'),
      });
    });

    it('an alias that another transaction takes as a slug first is refused', async () => {
      await preset.create('slower');
      await rival.query('BEGIN');
      const [presetId, versionId] = [newId(), newId()];
      await rival.query(
        `INSERT INTO presets SELECT $1, workspace_id, 'faster', name, NULL, 'active', NULL, 1, 1, creator_user_id, now(),
           now(), 1 FROM presets WHERE slug = 'slower'`,
        [presetId],
      );
      await rival.query(`INSERT INTO preset_versions VALUES ($1, $2, 1, 'messages', '{}', NULL, $3, now())`, [
        versionId,
        presetId,
        owner.id,
      ]);
      await expect(raced(() => preset.apply('slower', addAlias('faster')))).rejects.toMatchObject({
        kind: 'conflict',
        message: '"faster" is already the slug of another preset. Choose another name.',
      });
    });
  },
);
