import type { DatabaseSync } from 'node:sqlite';
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
import { read } from './errors.ts';
import { statement } from './statement.ts';

const joinEvent = `CROSS JOIN audit_events e ON e.preset_id = c.preset_id AND e.number = c.number
  LEFT JOIN users u ON u.id = e.actor_id`;

const currentReferencesSql = statement(
  'current-case-references',
  `SELECT wanted.value AS preset_id, (
    SELECT json_group_array(json_array(name, number) ORDER BY name) FROM preset_cases
    WHERE preset_id = wanted.value AND is_current = 1
  ) AS cases
  FROM json_each(?) wanted WHERE EXISTS (SELECT 1 FROM preset_cases WHERE preset_id = wanted.value)`,
);

const readCasesSql = statement(
  'read-cases',
  `SELECT ${caseColumns} FROM json_each(?2) wanted
  CROSS JOIN preset_cases c
    ON c.preset_id = ?1 AND c.name = wanted.value ->> 0 AND c.number = wanted.value ->> 1
  ${joinEvent} ORDER BY c.name`,
);

const findCaseSql = statement(
  'find-case',
  `SELECT ${caseColumns} FROM preset_cases c ${joinEvent}
  WHERE c.preset_id = ? AND c.name = ? AND c.is_current = 1`,
);

const findCaseAtSql = statement(
  'find-case-at',
  `SELECT ${caseColumns} FROM preset_cases c ${joinEvent}
  WHERE c.preset_id = ? AND c.name = ? AND c.number <= ? ORDER BY c.number DESC LIMIT 1`,
);

const currentCasesSql = statement(
  'current-cases',
  `SELECT name, iif(name IN (SELECT value FROM json_each(?2)), content, NULL) AS content
  FROM preset_cases WHERE preset_id = ?1 AND is_current = 1`,
);

export function sqliteCases(database: DatabaseSync): CaseStore {
  const currentReferences = database.prepare(currentReferencesSql);
  const readCases = database.prepare(readCasesSql);
  const find = database.prepare(findCaseSql);
  const findAt = database.prepare(findCaseAtSql);
  return {
    current: async (presetIds) =>
      read(() => {
        const rows = currentReferences.all(JSON.stringify(presetIds));
        return toCaseReferences(rows as unknown as CaseReferencesRow[]);
      }),
    read: async (presetId, references) =>
      read(() => {
        const pairs = references.map(({ name, eventNumber }) => [name, eventNumber]);
        const rows = readCases.all(presetId, JSON.stringify(pairs)) as unknown as CaseRow[];
        return rows.flatMap((row) => toCase(row) ?? []);
      }),
    find: async (presetId, name, eventNumber) =>
      read(() => {
        const row =
          eventNumber === undefined ? find.get(presetId, name) : findAt.get(presetId, name, eventNumber);
        return row && toCase(row as unknown as CaseRow);
      }),
  };
}

/** Prepares the read of the cases that a change is about, inside an open transaction. */
export function prepareCurrentCases(
  database: DatabaseSync,
): (presetId: string, names: readonly string[]) => CurrentCases {
  const current = database.prepare(currentCasesSql);
  return (presetId, names) =>
    toCurrentCases(current.all(presetId, JSON.stringify(names)) as unknown as CurrentCaseRow[]);
}

/** Prepares the statements that add rows to the history of cases inside an open transaction. */
export function prepareStoreCases(
  database: DatabaseSync,
): (presetId: string, records: readonly CaseRecord[]) => void {
  const retire = database.prepare(
    'UPDATE preset_cases SET is_current = 0 WHERE preset_id = ? AND name = ? AND is_current = 1',
  );
  const insert = database.prepare(
    'INSERT INTO preset_cases (preset_id, name, number, content, is_current) VALUES (?, ?, ?, ?, ?)',
  );
  return (presetId, records) => {
    for (const record of records) {
      const { name, number, contentJson } = record;
      retire.run(presetId, name);
      insert.run(presetId, name, number, contentJson, isCurrent(record, records) ? 1 : 0);
    }
  };
}
