import type { Draft, DraftSummary } from '../core/presets/draft.ts';
import type { Dialect } from '../core/presets/preset.ts';

/** Rows of drafts, and how they map to core values. Both engines select the same columns. */
export const draftColumns = 'preset_id, user_id, id, text, dialect, base_version, revision, updated_at';

export interface DraftRow {
  readonly preset_id: string;
  readonly user_id: string;
  readonly id: string;
  readonly text: string;
  readonly dialect: Dialect | null;
  readonly base_version: number;
  readonly revision: number;
  readonly updated_at: string;
}

export interface DraftSummaryRow {
  readonly user_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly base_version: number;
  readonly updated_at: string;
}

export function toDraft(row: DraftRow): Draft {
  return {
    presetId: row.preset_id,
    userId: row.user_id,
    id: row.id,
    text: row.text,
    dialect: row.dialect,
    baseVersion: row.base_version,
    revision: row.revision,
    updatedAt: row.updated_at,
  };
}

export function toDraftSummary(row: DraftSummaryRow): DraftSummary {
  return {
    userId: row.user_id,
    email: row.email,
    name: `${row.first_name} ${row.last_name}`.trim() || null,
    baseVersion: row.base_version,
    updatedAt: row.updated_at,
  };
}
