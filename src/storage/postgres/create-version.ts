import type { NewVersion } from '../../core/presets/preset-storage.ts';
import { splitWords } from '../../core/words.ts';
import { type PresetRow, presetColumns } from '../preset-rows.ts';
import { statement } from './statement.ts';

/**
 * The key of a create, if it still works and has the rights that the create was checked with, in
 * the form of `rightsOf` in core/presets/create-version.ts. A create whose key has changed returns
 * no row. The function `key_keeps_rights` has the same conditions.
 */
const keyWithRights = `
  SELECT 1 FROM api_keys k
  JOIN organizations o ON o.id = k.organization_id
  JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id
  LEFT JOIN workspace_members wm ON wm.workspace_id = k.workspace_id AND wm.user_id = k.owner_id
  WHERE k.secret_hash = n.secret_hash AND k.workspace_id = n.workspace_id AND NOT k.disabled
    AND (k.expires_at IS NULL OR k.expires_at > n.created_at) AND m.deactivated_at IS NULL
    AND n.rights = k.scope || ' ' || m.role || ' ' || CASE
      WHEN m.role = 'org:admin' THEN 'admin'
      WHEN k.workspace_id = o.default_workspace_id THEN m.workspace_role
      ELSE wm.role
    END`;

/**
 * Creates any number of versions in one statement. A name may be an alias; the version then belongs
 * to the preset that has it. `step` numbers the creates of one preset within
 * the batch. The upsert reserves that many version numbers at once and locks presets in a fixed
 * order, so two batches cannot deadlock. It returns the preset after the last step; the numbers of
 * each step are counted back from there.
 *
 * A statement sees the rights of keys as they were when it started. If it has waited for another
 * transaction, the last condition looks at them again once all presets are locked: counting them
 * completes the upsert. Looking every time would make a create a fifth more expensive.
 */
export const createVersionsStatement = statement(
  'create-versions',
  `
WITH request AS (
  SELECT r.*,
    row_number() OVER same_preset AS step,
    count(*) OVER (PARTITION BY r.workspace_id, r.slug) AS steps,
    max(r.created_at) OVER (PARTITION BY r.workspace_id, r.slug) AS updated_at
  FROM (
    SELECT n.*, coalesce(named.slug, n.name) AS slug
    FROM unnest(
      $1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::timestamptz[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[]
    ) WITH ORDINALITY AS n (
      organization_id, workspace_id, name, preset_id, version_id, creator_id, dialect, config, system_prompt,
      created_at, key_label, words, extension, secret_hash, rights, ordinal
    )
    CROSS JOIN LATERAL (
      SELECT 1 FROM workspaces WHERE id = n.workspace_id AND organization_id = n.organization_id AND deleted_at IS NULL LIMIT 1
    ) w
    CROSS JOIN LATERAL (
      SELECT 1 WHERE n.secret_hash IS NULL OR EXISTS (${keyWithRights})
    ) authorized
    LEFT JOIN LATERAL (
      SELECT p.slug FROM preset_aliases a JOIN presets p ON p.id = a.preset_id
      WHERE a.workspace_id = n.workspace_id AND a.alias = n.name LIMIT 1
    ) named ON true
  ) r
  WINDOW same_preset AS (PARTITION BY r.workspace_id, r.slug ORDER BY r.ordinal)
),
preset AS (
  INSERT INTO presets AS p (
    id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id, created_at,
    updated_at
  )
  SELECT preset_id, workspace_id, slug, slug, 'active', steps, steps, steps, creator_id, created_at, updated_at
  FROM request WHERE step = 1 ORDER BY workspace_id, slug COLLATE "C"
  ON CONFLICT (workspace_id, slug) DO UPDATE SET
    latest_version = p.latest_version + excluded.latest_version,
    designated_version = p.latest_version + excluded.latest_version,
    designated_before = p.designated_version,
    revision = p.revision + excluded.revision,
    updated_at = excluded.updated_at
  WHERE p.status <> 'archived'
  RETURNING p.*
),
created AS (
  SELECT r.*, p.id, p.latest_version - r.steps + r.step AS version,
    CASE r.step WHEN 1 THEN p.designated_before ELSE p.latest_version - r.steps + r.step - 1 END AS designated_before,
    p.revision - r.steps + r.step AS revision
  FROM request r JOIN preset p ON p.workspace_id = r.workspace_id AND p.slug = r.slug
),
version AS (
  INSERT INTO preset_versions (
    id, preset_id, version, dialect, config, system_prompt, extension, creator_id, created_at
  )
  SELECT version_id, id, version, dialect, config::json, system_prompt, extension::json, creator_id, created_at
  FROM created
),
event AS (
  INSERT INTO audit_events (
    id, organization_id, workspace_id, preset_id, number, kind, actor_id, key_label, before, after, created_at
  )
  SELECT version_id, organization_id, workspace_id, id, revision,
    CASE version WHEN 1 THEN 'preset.created' ELSE 'preset.version_added' END, creator_id, key_label,
    ('{"designated_version":' || designated_before || '}')::json,
    (
      '{"version":' || version || ',"designated_version":' || version || 
      coalesce(',"note":' || to_json(extension::json ->> 'note'), '') || '}'
    )::json, created_at
  FROM created
),
word AS (
  INSERT INTO preset_words (preset_id, word, workspace_id)
  SELECT id, unnest(string_to_array(words, ' ')), workspace_id FROM created WHERE version = 1
)
SELECT r.ordinal, r.slug AS requested_slug, ${presetColumns}, c.version, c.revision AS own_revision
FROM request r
LEFT JOIN preset p ON p.workspace_id = r.workspace_id AND p.slug = r.slug
LEFT JOIN created c ON c.ordinal = r.ordinal
WHERE CASE
  WHEN (SELECT count(*) FROM preset) > 0 AND clock_timestamp() > now() + interval '100 ms' AND r.secret_hash IS NOT NULL
  THEN key_keeps_rights(r.secret_hash, r.workspace_id, r.created_at, r.rights)
  ELSE true
END`,
);

/** The result for one create. For an archived preset, only the first two columns are not null. */
export type CreatedRow = { readonly ordinal: number; readonly requested_slug: string } & (
  | (PresetRow & { readonly version: number; readonly own_revision: number })
  | { readonly id: null }
);

/** The statement's parameters: one array per column. */
export function createVersionsValues(versions: readonly NewVersion[]): readonly unknown[] {
  const column = <T>(select: (version: NewVersion) => T) => versions.map(select);
  return [
    column((version) => version.organizationId),
    column((version) => version.workspaceId),
    column((version) => version.slug),
    column((version) => version.presetId),
    column((version) => version.versionId),
    column((version) => version.author.userId),
    column((version) => version.dialect),
    column((version) => version.configJson),
    column((version) => version.systemPrompt),
    column((version) => version.createdAt),
    column((version) => version.author.keyLabel),
    column((version) => splitWords(version.slug).join(' ')),
    column((version) => version.extensionJson),
    column((version) => version.authorizedBy?.secretHash ?? null),
    column((version) => version.authorizedBy?.rights ?? null),
  ];
}
