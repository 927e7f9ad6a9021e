import type { CaseRecord, CaseReference, CurrentCases, PresetCase } from '../core/presets/preset.ts';
import type { CaseStore } from '../core/presets/preset-storage.ts';
import type { Database, Query } from './database.ts';
import { type Columns, fields, json, select } from './select.ts';
import { type Sql, statement } from './statement.ts';
import { insertInto } from './write-rows.ts';

export function caseStore({ query }: Database): CaseStore {
  return {
    async current(presetIds) {
      const rows = await query(currentReferences, [presetIds]);
      return new Map(rows.map(({ presetId, cases }) => [presetId, cases]));
    },
    read: (presetId, references) => query(readCases, [presetId, references]),
    async find(presetId, name, eventNumber) {
      const [found] =
        eventNumber === undefined
          ? await query(findCase, [presetId, name])
          : await query(findCaseAt, [presetId, name, eventNumber]);
      // Without content, the name had no case any more.
      if (found === undefined || found.contentJson === null) return undefined;
      return { ...found, contentJson: found.contentJson };
    },
  };
}

/** For changes that are not about cases. */
export const noCases: CurrentCases = { names: new Set(), contents: new Map() };

/** Reads the cases that a change is about, inside its transaction. */
export async function readCurrentCases(
  query: Query,
  presetId: string,
  names: readonly string[],
): Promise<CurrentCases> {
  const rows = await query(currentCases, [presetId, names]);
  return {
    names: new Set(rows.map(({ name }) => name)),
    contents: new Map(rows.flatMap(({ name, content }) => (content === null ? [] : [[name, content]]))),
  };
}

/** Adds rows to the history of cases inside a transaction that holds the preset's lock. */
export async function storeCases(
  query: Query,
  presetId: string,
  records: readonly CaseRecord[],
): Promise<void> {
  await query(retireCases, [presetId, records.map(({ name }) => name)]);
  // Of several rows for one name, only the last can be current.
  const isCurrent = (record: CaseRecord) =>
    record.contentJson !== null && records.findLast(({ name }) => name === record.name) === record;
  const rows = records.map((record) => ({ ...record, presetId, isCurrent: isCurrent(record) }));
  await insertCases(query, rows);
}

/** Expects the case as `c`, its event as `e` and the user of that as `u`. */
const caseColumns: Columns<PresetCase> = {
  ...fields('c', 'name', 'contentJson'),
  eventNumber: 'c.number',
  updatedAt: 'e.created_at',
  updatedBy: 'e.actor_id',
  updatedByEmail: 'u.email',
};

/** The event of a case `c` and its user. */
const joinEvent = ({ joinOne }: Sql) => `
    ${joinOne('audit_events e', 'e.preset_id = c.preset_id AND e.number = c.number')}
    LEFT JOIN users u ON u.id = e.actor_id`;

const currentReferences = select<{
  readonly presetId: string;
  readonly cases: readonly CaseReference[];
}>(
  'current-case-references',
  {
    presetId: 'wanted.value',
    cases: json(
      ({ arrayOf, object, isTrue }) => `(
        SELECT ${arrayOf(object({ name: 'name', eventNumber: 'number' }), 'name')} FROM preset_cases
        WHERE preset_id = wanted.value AND ${isTrue('is_current')}
      )`,
    ),
  },
  ({ values }) => `FROM ${values('$1', 'uuid')} wanted
    WHERE (SELECT 1 FROM preset_cases WHERE preset_id = wanted.value LIMIT 1) = 1`,
);

const readCases = select(
  'read-cases',
  caseColumns,
  (sql) => `FROM ${sql.rows('$2', { name: 'text', eventNumber: 'integer' })} wanted
    ${sql.joinOne('preset_cases c', 'c.preset_id = $1 AND c.name = wanted.name AND c.number = wanted.event_number')}
    ${joinEvent(sql)}
    WHERE c.content IS NOT NULL ORDER BY c.name`,
);

const findCase = select(
  'find-case',
  caseColumns,
  (sql) => `FROM preset_cases c ${joinEvent(sql)}
    WHERE c.preset_id = $1 AND c.name = $2 AND ${sql.isTrue('c.is_current')}`,
);

const findCaseAt = select<Omit<PresetCase, 'contentJson'> & Pick<CaseRecord, 'contentJson'>>(
  'find-case-at',
  caseColumns,
  (sql) => `FROM preset_cases c ${joinEvent(sql)}
    WHERE c.preset_id = $1 AND c.name = $2 AND c.number <= $3 ORDER BY c.number DESC LIMIT 1`,
);

/** All current cases, with the contents of those that the change is about. */
const currentCases = statement<{ readonly name: string; readonly content: string | null }>(
  'current-cases',
  ({ isIn, isTrue }) => `SELECT name, CASE WHEN ${isIn('name', '$2', 'text')} THEN content END AS content
    FROM preset_cases WHERE preset_id = $1 AND ${isTrue('is_current')}`,
);

const retireCases = statement(
  'retire-cases',
  ({ isIn, isTrue }) => `UPDATE preset_cases SET is_current = false
    WHERE preset_id = $1 AND ${isIn('name', '$2', 'text')} AND ${isTrue('is_current')}`,
);

const insertCases = insertInto('insert-cases', 'preset_cases', {
  presetId: 'uuid',
  name: 'text',
  number: 'integer',
  isCurrent: 'boolean',
  contentJson: 'json text',
});
