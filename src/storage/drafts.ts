import type { Draft, DraftSummary } from '../core/presets/draft.ts';
import type { DraftStore } from '../core/presets/preset-storage.ts';
import { assertAuthorized } from './change-organization.ts';
import { type Database, LostRace, type Query } from './database.ts';
import { presetState } from './read-presets.ts';
import { columnsOf, fields, select } from './select.ts';
import { statement } from './statement.ts';
import { insertInto, typed, updateIn } from './write-rows.ts';

export function draftStore(database: Database): DraftStore {
  const { query } = database;
  return {
    find: async (presetId, userId) => (await query(findDraft, [presetId, userId]))[0],
    async presetsWithDraft(userId, presetIds) {
      const rows = await query(presetsWithDraft, [userId, presetIds]);
      return new Set(rows.map(({ id }) => id));
    },
    async list(presetId, { offset, limit }) {
      const [drafts, [count]] = await Promise.all([
        query(listDrafts, [presetId, limit, offset]),
        query(countDrafts, [presetId]),
      ]);
      return { drafts, totalCount: count?.drafts ?? 0 };
    },
    change: (address, actor, decide) =>
      database.transaction(async (query) => {
        const { organizationId } = address;
        // The actor cannot be removed from the organization from here on: the draft would stay.
        await query(lockMembership, [organizationId, actor.userId]);
        await assertAuthorized(query, actor);
        const preset = await presetState(query, address);
        const [current] = preset ? await query(lockDraft, [preset.id, actor.userId]) : [];
        const next = decide(preset, current);
        if (next === undefined) return current;
        if (next !== null) {
          await storeDraft(query, organizationId, current, next);
          return next;
        }
        if (current !== undefined) await query(removeDraft, [current.presetId, current.userId]);
        return undefined;
      }),
  };
}

/** Throws `LostRace` when another transaction has started the draft in the meantime. */
async function storeDraft(
  query: Query,
  organizationId: string,
  current: Draft | undefined,
  next: Draft,
): Promise<void> {
  if (current !== undefined) await updateDrafts(query, [next]);
  else if ((await insertDrafts(query, [{ ...next, organizationId }])).length === 0) throw new LostRace();
}

const draftTypes = {
  ...typed('uuid', 'presetId', 'id'),
  ...typed('text', 'userId', 'text', 'dialect'),
  ...typed('integer', 'baseVersion', 'revision'),
  updatedAt: 'timestamptz',
} as const;

const selectDraft = (name: string, isLocked: boolean) =>
  select<Draft>(
    name,
    columnsOf<Draft>('d', draftTypes),
    ({ forUpdate }) => `FROM preset_drafts d
      WHERE d.preset_id = $1 AND d.user_id = $2 ${isLocked ? forUpdate : ''}`,
  );

const findDraft = selectDraft('find-draft', false);
const lockDraft = selectDraft('lock-draft', true);

const presetsWithDraft = statement<{ readonly id: string }>(
  'presets-with-draft',
  ({ values, joinOne }) => `SELECT d.preset_id AS id FROM ${values('$2', 'uuid')} wanted
    ${joinOne('preset_drafts d', 'd.preset_id = wanted.value AND d.user_id = $1')}`,
);

const listDrafts = select<DraftSummary>(
  'list-drafts',
  {
    ...fields('d', 'userId', 'baseVersion', 'updatedAt'),
    email: 'u.email',
    name: `nullif(trim(u.first_name || ' ' || u.last_name), '')`,
  },
  `FROM preset_drafts d JOIN users u ON u.id = d.user_id
   WHERE d.preset_id = $1 ORDER BY d.updated_at DESC, d.user_id LIMIT $2 OFFSET $3`,
);

const countDrafts = statement<{ readonly drafts: number }>(
  'count-drafts',
  'SELECT count(*) AS drafts FROM preset_drafts WHERE preset_id = $1',
);

/** Only keeps the membership from being deleted. */
const lockMembership = statement(
  'lock-membership',
  ({ lock }) =>
    `SELECT 1 FROM memberships WHERE organization_id = $1 AND user_id = $2 ${lock('FOR KEY SHARE')}`,
);

const insertDrafts = insertInto<Draft & { readonly organizationId: string }>(
  'insert-draft',
  'preset_drafts',
  { ...draftTypes, organizationId: 'uuid' },
  'ON CONFLICT (preset_id, user_id) DO NOTHING RETURNING id',
);

const updateDrafts = updateIn<Draft>('update-draft', 'preset_drafts', ['presetId', 'userId'], draftTypes);

const removeDraft = statement(
  'remove-draft',
  'DELETE FROM preset_drafts WHERE preset_id = $1 AND user_id = $2',
);
