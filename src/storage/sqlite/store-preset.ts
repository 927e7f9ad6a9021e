import type { DatabaseSync } from 'node:sqlite';
import { addedNames, nameTaken } from '../../core/presets/alias.ts';
import type {
  PresetAddress,
  PresetState,
  PresetVersion,
  WorkspaceAddress,
} from '../../core/presets/preset.ts';
import type { PresetChange } from '../../core/presets/preset-change.ts';
import type { Author, NewEvent } from '../../core/presets/preset-event.ts';
import { changedWords, differenceOf } from '../word-index.ts';
import { prepareStoreCases } from './cases.ts';
import { presetByNameSql } from './preset-names.ts';

/**
 * Prepares the statements that store a change and its events inside an open transaction. Writes
 * only what differs: labels that moved, names, tags and words that came or went. Throws `conflict`
 * if another preset has a name that the change adds.
 */
export function prepareStoreChange(
  database: DatabaseSync,
): (address: PresetAddress, author: Author, current: PresetState | undefined, change: PresetChange) => void {
  const insertPreset = database.prepare(
    `INSERT INTO presets (
       id, workspace_id, slug, name, description, status, status_updated_at, latest_version, designated_version, revision,
       creator_user_id, created_at, updated_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const updatePreset = database.prepare(
    `UPDATE presets SET slug = ?, name = ?, description = ?, status = ?, status_updated_at = ?, latest_version = ?,
       designated_version = ?, revision = ?, created_at = ?, updated_at = ?
     WHERE id = ?`,
  );
  const setLabel = database.prepare(
    `INSERT INTO preset_labels (preset_id, label, version, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (preset_id, label) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at`,
  );
  const removeLabel = database.prepare('DELETE FROM preset_labels WHERE preset_id = ? AND label = ?');
  const findByName = database.prepare(presetByNameSql);
  const addAlias = database.prepare(
    'INSERT INTO preset_aliases (workspace_id, alias, preset_id, created_at) VALUES (?, ?, ?, ?)',
  );
  const removeAlias = database.prepare('DELETE FROM preset_aliases WHERE workspace_id = ? AND alias = ?');
  const addTag = database.prepare('INSERT INTO preset_tags (preset_id, tag) VALUES (?, ?)');
  const removeTag = database.prepare('DELETE FROM preset_tags WHERE preset_id = ? AND tag = ?');
  const removeWord = database.prepare('DELETE FROM preset_words WHERE preset_id = ? AND word = ?');
  const inserts = preparePresetInserts(database);
  const storeCases = prepareStoreCases(database);

  function storeRow(next: PresetState, isNew: boolean): void {
    const { id, workspaceId, slug, name, description, status, statusUpdatedAt, creatorUserId } = next;
    const { createdAt, updatedAt, latestVersion, designatedNumber, revision } = next;
    const state = [
      slug,
      name,
      description,
      status,
      statusUpdatedAt,
      latestVersion,
      designatedNumber,
      revision,
    ];
    if (isNew) insertPreset.run(id, workspaceId, ...state, creatorUserId, createdAt, updatedAt);
    else updatePreset.run(...state, createdAt, updatedAt, id);
  }

  /** Removes aliases first: one of them may become the slug. */
  function storeNames(current: PresetState | undefined, next: PresetState): void {
    const { id, workspaceId } = next;
    for (const name of addedNames(current, next)) {
      const owner = findByName.get(workspaceId, name);
      if (owner !== undefined) throw nameTaken(name, String(owner.slug));
    }
    for (const alias of current?.aliases.keys() ?? []) {
      if (!next.aliases.has(alias)) removeAlias.run(workspaceId, alias);
    }
    storeRow(next, current === undefined);
    for (const [alias, { createdAt }] of next.aliases) {
      if (!current?.aliases.has(alias)) addAlias.run(workspaceId, alias, id, createdAt);
    }
  }

  function storeLabels(id: string, current: PresetState | undefined, next: PresetState): void {
    for (const label of current?.labels.keys() ?? []) {
      if (!next.labels.has(label)) removeLabel.run(id, label);
    }
    for (const [label, { version, updatedAt }] of next.labels) {
      if (current?.labels.get(label)?.version !== version) setLabel.run(id, label, version, updatedAt);
    }
  }

  function storeTags(id: string, current: PresetState | undefined, next: PresetState): void {
    const { removed, added } = differenceOf(current?.tags ?? [], next.tags);
    for (const tag of removed) removeTag.run(id, tag);
    for (const tag of added) addTag.run(id, tag);
  }

  return (address, author, current, { at, next, versions, cases = [], events }) => {
    storeNames(current, next);
    for (const version of versions) inserts.version(version);
    storeLabels(next.id, current, next);
    storeTags(next.id, current, next);
    storeCases(next.id, cases);
    const { removed, added } = changedWords(current, next);
    for (const word of removed) removeWord.run(next.id, word);
    inserts.words(next.id, next.workspaceId, added);
    for (const [index, event] of events.entries()) {
      const number = (current?.revision ?? 0) + index + 1;
      inserts.event(address, next.id, number, author, at, event);
    }
  };
}

/** The inserts that creating a version needs as well, inside an open transaction. */
interface PresetInserts {
  version(version: PresetVersion): void;
  event(
    workspace: WorkspaceAddress,
    presetId: string,
    number: number,
    author: Author,
    at: string,
    event: NewEvent,
  ): void;
  words(presetId: string, workspaceId: string, words: readonly string[]): void;
}

export function preparePresetInserts(database: DatabaseSync): PresetInserts {
  const insertVersion = database.prepare(
    `INSERT INTO preset_versions (
       id, preset_id, version, dialect, config, system_prompt, extension, creator_id, created_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertEvent = database.prepare(
    `INSERT INTO audit_events (
       id, organization_id, workspace_id, preset_id, number, kind, actor_id, key_label, before, after, created_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertWord = database.prepare(
    'INSERT INTO preset_words (preset_id, word, workspace_id) VALUES (?, ?, ?)',
  );
  return {
    version({
      id,
      presetId,
      version,
      dialect,
      configJson,
      systemPrompt,
      extensionJson,
      creatorId,
      createdAt,
    }) {
      const content = [dialect, configJson, systemPrompt, extensionJson];
      insertVersion.run(id, presetId, version, ...content, creatorId, createdAt);
    },
    event({ organizationId, workspaceId }, presetId, number, author, at, event) {
      const { id, kind, before, after } = event;
      const { userId, keyLabel } = author;
      insertEvent.run(
        id,
        organizationId,
        workspaceId,
        presetId,
        number,
        kind,
        userId,
        keyLabel,
        json(before),
        json(after),
        at,
      );
    },
    words(presetId, workspaceId, words) {
      for (const word of words) insertWord.run(presetId, word, workspaceId);
    },
  };
}

function json(values: object | null): string | null {
  return values === null ? null : JSON.stringify(values);
}
