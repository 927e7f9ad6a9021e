import type { DatabaseSync } from 'node:sqlite';
import type { PresetVersion, WorkspaceAddress } from '../../core/presets/preset.ts';
import type { Author, NewEvent } from '../../core/presets/preset-event.ts';

/** Inserts shared by `create-version.ts` and `store-preset.ts`, inside an open transaction. */
export interface PresetInserts {
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
    `INSERT INTO preset_versions (id, preset_id, version, dialect, config, system_prompt, creator_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
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
    version({ id, presetId, version, dialect, configJson, systemPrompt, creatorId, createdAt }) {
      insertVersion.run(id, presetId, version, dialect, configJson, systemPrompt, creatorId, createdAt);
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
