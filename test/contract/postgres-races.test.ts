import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import type { PresetState } from '../../src/core/presets/preset.ts';
import { addVersion, archive, emptyPreset } from '../../src/core/presets/preset-change.ts';
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
  },
);
