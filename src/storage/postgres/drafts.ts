import { databaseUnavailable } from '../../core/errors.ts';
import type { Actor } from '../../core/organization/actor.ts';
import type { Draft } from '../../core/presets/draft.ts';
import type { PresetAddress } from '../../core/presets/preset.ts';
import type { DraftStore } from '../../core/presets/preset-storage.ts';
import { type DraftRow, type DraftSummaryRow, draftColumns, toDraft, toDraftSummary } from '../draft-rows.ts';
import { type StateRow, toState } from '../preset-rows.ts';
import { assertAuthorized } from './change-organization.ts';
import { LostRace, type PostgresConnection, type Query, queryOf } from './connection.ts';
import { isRetryable } from './errors.ts';
import { presetStateStatement } from './read-presets.ts';
import { statement } from './statement.ts';

/** Attempts per change. One is lost only when the same person starts the draft twice at once. */
const attemptsMax = 5;

export function postgresDrafts(connection: PostgresConnection): DraftStore {
  return {
    find: async (presetId, userId) =>
      (await connection.query<DraftRow>(findDraft, [presetId, userId])).map(toDraft)[0],
    async presetsWithDraft(userId, presetIds) {
      const rows = await connection.query<{ preset_id: string }>(presetsWithDraft, [userId, presetIds]);
      return new Set(rows.map(({ preset_id }) => preset_id));
    },
    async list(presetId, { offset, limit }) {
      const [drafts, [count]] = await Promise.all([
        connection.query<DraftSummaryRow>(listDrafts, [presetId, limit, offset]),
        connection.query<{ drafts: number }>(countDrafts, [presetId]),
      ]);
      return { drafts: drafts.map(toDraftSummary), totalCount: count?.drafts ?? 0 };
    },
    async change(address, actor, decide) {
      for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
        try {
          return await connection.transaction((client) =>
            attemptChange(queryOf(client), address, actor, decide),
          );
        } catch (error) {
          if (!(error instanceof LostRace || isRetryable(error))) throw error;
        }
      }
      throw databaseUnavailable(new LostRace());
    },
  };
}

async function attemptChange(
  query: Query,
  address: PresetAddress,
  actor: Actor,
  decide: Parameters<DraftStore['change']>[2],
): Promise<Draft | undefined> {
  const { organizationId, workspaceId, slug } = address;
  // The actor cannot be removed from the organization from here on: the draft would stay.
  await query(lockMembership, [organizationId, actor.userId]);
  await assertAuthorized(query, actor);
  const values = [workspaceId, slug, organizationId];
  const [preset] = (await query<StateRow>(presetStateStatement, values)).map(toState);
  const [current] = preset ? (await query<DraftRow>(lockDraft, [preset.id, actor.userId])).map(toDraft) : [];
  const next = decide(preset, current);
  if (next === undefined) return current;
  if (next !== null) {
    await storeDraft(query, organizationId, current, next);
    return next;
  }
  if (current !== undefined) await query(removeDraft, [current.presetId, current.userId]);
  return undefined;
}

/** Throws `LostRace` when another transaction has started the draft in the meantime. */
async function storeDraft(
  query: Query,
  organizationId: string,
  current: Draft | undefined,
  next: Draft,
): Promise<void> {
  const { presetId, userId, id, text, dialect, baseVersion, revision, updatedAt } = next;
  const content = [text, dialect, baseVersion, revision, updatedAt];
  if (current !== undefined) await query(updateDraft, [presetId, userId, ...content]);
  else if ((await query(insertDraft, [presetId, userId, id, ...content, organizationId])).length === 0)
    throw new LostRace();
}

const findDraft = statement(
  'find-draft',
  `SELECT ${draftColumns} FROM preset_drafts WHERE preset_id = $1 AND user_id = $2`,
);

const presetsWithDraft = statement(
  'presets-with-draft',
  `SELECT d.preset_id FROM unnest($2::uuid[]) AS wanted (id)
   CROSS JOIN LATERAL (
     SELECT preset_id FROM preset_drafts WHERE preset_id = wanted.id AND user_id = $1 LIMIT 1
   ) d`,
);

const listDrafts = statement(
  'list-drafts',
  `SELECT d.*, u.email, u.first_name, u.last_name
   FROM (
     SELECT user_id, base_version, updated_at FROM preset_drafts
     WHERE preset_id = $1 ORDER BY updated_at DESC, user_id LIMIT $2 OFFSET $3
   ) d
   CROSS JOIN LATERAL (SELECT * FROM users WHERE id = d.user_id LIMIT 1) u
   ORDER BY d.updated_at DESC, d.user_id`,
);

const countDrafts = statement(
  'count-drafts',
  'SELECT count(*) AS drafts FROM preset_drafts WHERE preset_id = $1',
);

const lockMembership = statement(
  'lock-membership',
  'SELECT 1 FROM memberships WHERE organization_id = $1 AND user_id = $2 FOR KEY SHARE',
);

const lockDraft = statement('lock-draft', `${findDraft.text} FOR UPDATE`);

const insertDraft = statement(
  'insert-draft',
  `INSERT INTO preset_drafts (${draftColumns}, organization_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (preset_id, user_id) DO NOTHING RETURNING id`,
);

const updateDraft = statement(
  'update-draft',
  `UPDATE preset_drafts SET text = $3, dialect = $4, base_version = $5, revision = $6, updated_at = $7
   WHERE preset_id = $1 AND user_id = $2`,
);

const removeDraft = statement(
  'remove-draft',
  'DELETE FROM preset_drafts WHERE preset_id = $1 AND user_id = $2',
);
