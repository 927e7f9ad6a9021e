import type { Database } from './database.ts';
import { fields, select } from './select.ts';
import { statement } from './statement.ts';
import { updateIn } from './write-rows.ts';

/** A key or session that was used, and whose it is. */
interface Use {
  readonly id: string;
  readonly lastUsedAt: string;
  readonly userId: string;
  readonly organizationId: string | null;
}

/**
 * Statements that note the last use of keys or sessions. Rows that are being changed at the moment
 * are skipped: their next use is noted.
 */
export function usesOf(table: 'sessions' | 'api_keys', owner: 'user_id' | 'owner_id') {
  const use = { id: 'uuid', lastUsedAt: 'timestamptz' } as const;
  return {
    claim: select<Use>(
      `claim-${table}`,
      { ...fields('t', 'id', 'organizationId'), lastUsedAt: 'u.last_used_at', userId: `t.${owner}` },
      ({
        rows,
        skipLocked,
      }) => `FROM ${rows('$1', { ...use, staleAt: 'timestamptz' })} u CROSS JOIN ${table} t
        WHERE t.id = u.id AND (t.last_used_at IS NULL OR t.last_used_at <= u.stale_at) ${skipLocked('t')}`,
    ),
    note: updateIn<Pick<Use, 'id' | 'lastUsedAt'>>(`note-${table}`, table, ['id'], use),
  };
}

/** Notes when, to the interval, keys or sessions were last used, and by whom. */
export async function recordLastUses(
  database: Database,
  { claim, note }: ReturnType<typeof usesOf>,
  usedAt: ReadonlyMap<string, string>,
  intervalMs: number,
): Promise<void> {
  const list = Array.from(usedAt, ([id, lastUsedAt]) => ({
    id,
    lastUsedAt,
    staleAt: new Date(Date.parse(lastUsedAt) - intervalMs).toISOString(),
  }));
  await database.transaction(async (query) => {
    const used = await query(claim, [list]);
    if (used.length === 0) return;
    await note(query, used);
    await noteActivities(query, await query(claimActivities, [used]));
  });
}

const personTypes = { organizationId: 'uuid', userId: 'text' } as const;

interface Activity {
  readonly organizationId: string;
  readonly userId: string;
  readonly lastActiveAt: string;
}

const claimActivities = select<Activity>(
  'claim-activities',
  { ...fields('m', 'organizationId', 'userId'), lastActiveAt: 'u.last_used_at' },
  ({ rows, skipLocked }) => `FROM (
      SELECT organization_id, user_id, max(last_used_at) AS last_used_at
      FROM ${rows('$1', { ...personTypes, lastUsedAt: 'timestamptz' })} used
      GROUP BY organization_id, user_id
    ) u
    CROSS JOIN memberships m
    WHERE m.organization_id = u.organization_id AND m.user_id = u.user_id
      AND (m.last_active_at IS NULL OR m.last_active_at < u.last_used_at) ${skipLocked('m')}`,
);

const noteActivities = updateIn<Activity>('note-activities', 'memberships', ['organizationId', 'userId'], {
  ...personTypes,
  lastActiveAt: 'timestamptz',
});

/** Notes that a person is active. */
export const noteActivity = statement(
  'note-activity',
  `UPDATE memberships SET last_active_at = $3
   WHERE organization_id = $1 AND user_id = $2 AND (last_active_at IS NULL OR last_active_at < $3)`,
);
