import type { CaseRecord, CurrentCases } from '../../core/presets/preset.ts';
import type { CaseStore } from '../../core/presets/preset-storage.ts';
import {
  type CaseReferencesRow,
  type CaseRow,
  type CurrentCaseRow,
  caseColumns,
  isCurrent,
  toCase,
  toCaseReferences,
  toCurrentCases,
} from '../case-rows.ts';
import type { PostgresConnection, Query } from './connection.ts';
import { statement } from './statement.ts';

export function postgresCases(connection: PostgresConnection): CaseStore {
  return {
    current: async (presetIds) =>
      toCaseReferences(await connection.query<CaseReferencesRow>(currentReferences, [presetIds])),
    async read(presetId, references) {
      const names = references.map(({ name }) => name);
      const numbers = references.map(({ eventNumber }) => eventNumber);
      const rows = await connection.query<CaseRow>(readCases, [presetId, names, numbers]);
      return rows.flatMap((row) => toCase(row) ?? []);
    },
    async find(presetId, name, eventNumber) {
      const [row] =
        eventNumber === undefined
          ? await connection.query<CaseRow>(findCase, [presetId, name])
          : await connection.query<CaseRow>(findCaseAt, [presetId, name, eventNumber]);
      return row && toCase(row);
    },
  };
}

/** Reads the cases that a change is about, inside its transaction. */
export async function readCurrentCases(
  query: Query,
  presetId: string,
  names: readonly string[],
): Promise<CurrentCases> {
  return toCurrentCases(await query<CurrentCaseRow>(currentCases, [presetId, names]));
}

/** Adds rows to the history of cases inside a transaction that holds the preset's lock. */
export async function storeCases(
  query: Query,
  presetId: string,
  records: readonly CaseRecord[],
): Promise<void> {
  await query(retireCases, [presetId, records.map(({ name }) => name)]);
  await query(insertCases, [
    presetId,
    records.map(({ name }) => name),
    records.map(({ number }) => number),
    records.map(({ contentJson }) => contentJson),
    records.map((record) => isCurrent(record, records)),
  ]);
}

/** The event of a case `c` and its user. */
const joinEvent = `CROSS JOIN LATERAL (
     SELECT created_at, actor_id FROM audit_events WHERE preset_id = c.preset_id AND number = c.number LIMIT 1
   ) e
   LEFT JOIN LATERAL (SELECT email FROM users WHERE id = e.actor_id LIMIT 1) u ON true`;

const currentReferences = statement(
  'current-case-references',
  `SELECT wanted.id AS preset_id, coalesce((
     SELECT json_agg(json_build_array(name, number) ORDER BY name) FROM preset_cases
     WHERE preset_id = wanted.id AND is_current
   ), '[]') AS cases
   FROM unnest($1::uuid[]) AS wanted (id)
   CROSS JOIN LATERAL (SELECT 1 FROM preset_cases WHERE preset_id = wanted.id LIMIT 1) known`,
);

const readCases = statement(
  'read-cases',
  `SELECT ${caseColumns}
   FROM unnest($2::text[], $3::int[]) AS wanted (name, number)
   CROSS JOIN LATERAL (
     SELECT * FROM preset_cases
     WHERE preset_id = $1 AND name = wanted.name AND number = wanted.number LIMIT 1
   ) c ${joinEvent}
   ORDER BY c.name`,
);

const findCase = statement(
  'find-case',
  `SELECT ${caseColumns}
   FROM (SELECT * FROM preset_cases WHERE preset_id = $1 AND name = $2 AND is_current LIMIT 1) c ${joinEvent}`,
);

const findCaseAt = statement(
  'find-case-at',
  `SELECT ${caseColumns}
   FROM (
     SELECT * FROM preset_cases
     WHERE preset_id = $1 AND name = $2 AND number <= $3 ORDER BY number DESC LIMIT 1
   ) c ${joinEvent}`,
);

const currentCases = statement(
  'current-cases',
  `SELECT name, CASE WHEN name = ANY ($2::text[]) THEN content END AS content
   FROM preset_cases WHERE preset_id = $1 AND is_current`,
);

const retireCases = statement(
  'retire-cases',
  'UPDATE preset_cases SET is_current = false WHERE preset_id = $1 AND name = ANY ($2::text[]) AND is_current',
);

const insertCases = statement(
  'insert-cases',
  `INSERT INTO preset_cases (preset_id, name, number, content, is_current)
   SELECT $1, name, number, content::json, is_current
   FROM unnest($2::text[], $3::int[], $4::text[], $5::boolean[]) AS c (name, number, content, is_current)`,
);
