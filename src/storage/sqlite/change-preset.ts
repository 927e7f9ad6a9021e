import type { DatabaseSync } from 'node:sqlite';
import type { Preset, PresetAddress, PresetState } from '../../core/preset.ts';
import type { PresetChange } from '../../core/preset-change.ts';
import type { Author } from '../../core/preset-event.ts';
import type { ChangedPreset, Once } from '../../core/storage.ts';
import { wordsOf } from '../../core/words.ts';
import { unknownWorkspace } from '../../core/workspace-access.ts';
import { assertSameRequest, forgottenPerAnswer, recalledAnswer, rememberedAnswer } from '../answered-once.ts';
import { prepareInserts } from './preset-inserts.ts';
import type { PresetReads } from './read-presets.ts';

type Change = (
  address: PresetAddress,
  author: Author,
  decide: (current: PresetState | undefined) => PresetChange | undefined,
  once?: Once,
) => ChangedPreset | undefined;

/** Changes a preset inside a transaction that is already open, in which nobody else can. */
export function prepareChange(database: DatabaseSync, reads: PresetReads): Change {
  const findWorkspace = database.prepare('SELECT 1 FROM workspaces WHERE id = ? AND organization_id = ?');
  const store = prepareStore(database);
  const answers = prepareAnswers(database, reads);

  return (address, author, decide, once) => {
    const { workspaceId, organizationId } = address;
    if (findWorkspace.get(workspaceId, organizationId) === undefined) throw unknownWorkspace(workspaceId);
    const first = once && answers.recall(workspaceId, once);
    if (first !== undefined) return { preset: first, isReplay: true };
    const current = reads.state(address);
    const change = decide(current);
    if (change !== undefined) store(address, author, current, change);
    const preset = reads.find(address);
    if (preset === undefined) return undefined;
    if (once !== undefined) answers.remember(workspaceId, once, preset);
    return { preset, isReplay: false };
  };
}

function prepareStore(
  database: DatabaseSync,
): (address: PresetAddress, author: Author, current: PresetState | undefined, change: PresetChange) => void {
  const insertPreset = database.prepare(
    `INSERT INTO presets (
       id, workspace_id, slug, name, description, status, status_updated_at, latest_version, designated_version, revision,
       creator_user_id, created_at, updated_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const updatePreset = database.prepare(
    `UPDATE presets SET name = ?, description = ?, status = ?, status_updated_at = ?, latest_version = ?,
       designated_version = ?, revision = ?, created_at = ?, updated_at = ?
     WHERE id = ?`,
  );
  const setLabel = database.prepare(
    `INSERT INTO preset_labels (preset_id, label, version, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (preset_id, label) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at`,
  );
  const removeLabel = database.prepare('DELETE FROM preset_labels WHERE preset_id = ? AND label = ?');
  const removeWords = database.prepare('DELETE FROM preset_words WHERE preset_id = ?');
  const inserts = prepareInserts(database);

  function storeRow(next: PresetState, isNew: boolean): void {
    const { id, workspaceId, slug, name, description, status, statusUpdatedAt, creatorUserId } = next;
    const { createdAt, updatedAt, latestVersion, designatedNumber, revision } = next;
    const state = [name, description, status, statusUpdatedAt, latestVersion, designatedNumber, revision];
    if (isNew) insertPreset.run(id, workspaceId, slug, ...state, creatorUserId, createdAt, updatedAt);
    else updatePreset.run(...state, createdAt, updatedAt, id);
  }

  function storeLabels(id: string, current: PresetState | undefined, next: PresetState): void {
    for (const label of current?.labels.keys() ?? []) {
      if (!next.labels.has(label)) removeLabel.run(id, label);
    }
    for (const [label, { version, updatedAt }] of next.labels) {
      if (current?.labels.get(label)?.version !== version) setLabel.run(id, label, version, updatedAt);
    }
  }

  return (address, author, current, { at, next, versions, events }) => {
    storeRow(next, current === undefined);
    for (const version of versions) inserts.version(version);
    storeLabels(next.id, current, next);
    if (current?.name !== next.name || current.description !== next.description) {
      removeWords.run(next.id);
      inserts.words(next.id, next.workspaceId, wordsOf(next.slug, next.name, next.description));
    }
    for (const [index, event] of events.entries()) {
      const number = (current?.revision ?? 0) + index + 1;
      inserts.event(address, next.id, number, author, at, event);
    }
  };
}

interface Answers {
  recall(workspaceId: string, once: Once): Preset | undefined;
  remember(workspaceId: string, once: Once, preset: Preset): void;
}

function prepareAnswers(database: DatabaseSync, reads: PresetReads): Answers {
  const find = database.prepare(
    `SELECT request_hash, answer, preset_id, version FROM idempotency_keys
     WHERE workspace_id = ? AND key = ? AND created_at >= ?`,
  );
  const forget = database.prepare(
    `DELETE FROM idempotency_keys WHERE (workspace_id, key) IN (
       SELECT workspace_id, key FROM idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT ${forgottenPerAnswer}
     )`,
  );
  const insert = database.prepare(
    `INSERT INTO idempotency_keys (workspace_id, key, request_hash, answer, preset_id, version, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, key) DO UPDATE SET request_hash = excluded.request_hash, answer = excluded.answer,
       preset_id = excluded.preset_id, version = excluded.version, created_at = excluded.created_at`,
  );
  return {
    recall(workspaceId, once) {
      const row = find.get(workspaceId, once.key, once.forgottenBefore);
      if (row === undefined) return undefined;
      assertSameRequest(once, String(row.request_hash));
      const [version] = reads.versions(String(row.preset_id), { offset: Number(row.version) - 1, limit: 1 });
      if (version === undefined) throw new Error('an answer refers to a version that is not there');
      return recalledAnswer(String(row.answer), version);
    },
    remember(workspaceId, once, preset) {
      forget.run(once.forgottenBefore);
      const { id, designatedVersion } = preset;
      insert.run(
        workspaceId,
        once.key,
        once.requestHash,
        rememberedAnswer(preset),
        id,
        designatedVersion.version,
        once.at,
      );
    },
  };
}
