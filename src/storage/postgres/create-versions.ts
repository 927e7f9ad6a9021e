import type { NewVersion } from '../../core/storage.ts';
import type { PresetRow } from '../created-preset.ts';
import type { Statement } from './connection.ts';

/**
 * Creates any number of versions in one statement. `step` numbers the creates of one preset within the batch; the
 * upsert takes that many numbers at once and locks presets in one order, so that two batches cannot deadlock.
 */
export const createVersionsStatement: Statement = {
  name: 'create-versions',
  text: `
WITH request AS (
  SELECT r.*,
    row_number() OVER same_preset AS step,
    count(*) OVER (PARTITION BY r.workspace_id, r.slug) AS steps,
    max(r.created_at) OVER (PARTITION BY r.workspace_id, r.slug) AS updated_at
  FROM unnest(
    $1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::timestamptz[]
  ) WITH ORDINALITY AS r (
    organization_id, workspace_id, slug, preset_id, version_id, creator_id, dialect, config, system_prompt,
    created_at, ordinal
  )
  JOIN workspaces w ON w.id = r.workspace_id AND w.organization_id = r.organization_id
  WINDOW same_preset AS (PARTITION BY r.workspace_id, r.slug ORDER BY r.ordinal)
),
preset AS (
  INSERT INTO presets AS p (
    id, workspace_id, slug, name, status, latest_version, designated_version, creator_user_id, created_at, updated_at
  )
  SELECT preset_id, workspace_id, slug, slug, 'active', steps, steps, creator_id, created_at, updated_at
  FROM request WHERE step = 1 ORDER BY workspace_id, slug COLLATE "C"
  ON CONFLICT (workspace_id, slug) DO UPDATE SET
    latest_version = p.latest_version + excluded.latest_version,
    designated_version = p.latest_version + excluded.latest_version,
    updated_at = excluded.updated_at
  WHERE p.status <> 'archived'
  RETURNING p.*
),
version AS (
  INSERT INTO preset_versions (id, preset_id, version, dialect, config, system_prompt, creator_id, created_at)
  SELECT r.version_id, p.id, p.latest_version - r.steps + r.step, r.dialect, r.config::json, r.system_prompt,
    r.creator_id, r.created_at
  FROM request r JOIN preset p ON p.workspace_id = r.workspace_id AND p.slug = r.slug
)
SELECT r.ordinal, p.id, p.name, p.description, p.status, p.status_updated_at, p.creator_user_id, p.created_at,
  p.latest_version - r.steps + r.step AS version
FROM request r LEFT JOIN preset p ON p.workspace_id = r.workspace_id AND p.slug = r.slug`,
};

/** For an archived preset there is no row of it, and every column but the first is null. */
export type CreatedRow = { readonly ordinal: number } & (
  | (PresetRow & { readonly version: number })
  | { readonly id: null }
);

export function versionColumns(versions: readonly NewVersion[]): readonly unknown[] {
  const column = <T>(select: (version: NewVersion) => T) => versions.map(select);
  return [
    column((version) => version.organizationId),
    column((version) => version.workspaceId),
    column((version) => version.slug),
    column((version) => version.presetId),
    column((version) => version.versionId),
    column((version) => version.creatorId),
    column((version) => version.dialect),
    column((version) => version.configJson),
    column((version) => version.systemPrompt),
    column((version) => version.createdAt),
  ];
}
