import type { DatabaseSync } from 'node:sqlite';
import type { CaseRecord, CurrentCases } from '../../core/presets/preset.ts';
import type { CaseStore } from '../../core/storage.ts';
import {
  type CaseNamesRow,
  type CaseRow,
  type CurrentCaseRow,
  caseColumns,
  isCurrent,
  toCase,
  toCaseNames,
  toCurrentCases,
} from '../case-rows.ts';
import { read } from './errors.ts';
import { statement } from './statement.ts';

const joinEvent = `CROSS JOIN audit_events e ON e.preset_id = c.preset_id AND e.number = c.number
  LEFT JOIN users u ON u.id = e.actor_id`;

const listCasesSql = statement(
  'list-cases',
  `SELECT ${caseColumns} FROM preset_cases c ${joinEvent}
  WHERE c.preset_id = ? AND c.is_current = 1 ORDER BY c.name LIMIT ? OFFSET ?`,
);

const countCasesSql = statement(
  'count-cases',
  'SELECT count(*) AS cases FROM preset_cases WHERE preset_id = ? AND is_current = 1',
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

const caseNamesSql = statement(
  'case-names',
  `SELECT wanted.value AS preset_id, (
    SELECT json_group_array(name ORDER BY name) FROM preset_cases
    WHERE preset_id = wanted.value AND is_current = 1
  ) AS names
  FROM json_each(?) wanted WHERE EXISTS (SELECT 1 FROM preset_cases WHERE preset_id = wanted.value)`,
);

const currentCasesSql = statement(
  'current-cases',
  `SELECT name, iif(name IN (SELECT value FROM json_each(?2)), content, NULL) AS content
  FROM preset_cases WHERE preset_id = ?1 AND is_current = 1`,
);

export function sqliteCases(database: DatabaseSync): CaseStore {
  const list = database.prepare(listCasesSql);
  const count = database.prepare(countCasesSql);
  const find = database.prepare(findCaseSql);
  const findAt = database.prepare(findCaseAtSql);
  const names = database.prepare(caseNamesSql);
  return {
    list: async (presetId, { offset, limit }) =>
      read(() =>
        (list.all(presetId, limit, offset) as unknown as CaseRow[]).flatMap((row) => toCase(row) ?? []),
      ),
    count: async (presetId) => read(() => Number(count.get(presetId)?.cases)),
    find: async (presetId, name, eventNumber) =>
      read(() => {
        const row =
          eventNumber === undefined ? find.get(presetId, name) : findAt.get(presetId, name, eventNumber);
        return row && toCase(row as unknown as CaseRow);
      }),
    names: async (presetIds) =>
      read(() => toCaseNames(names.all(JSON.stringify(presetIds)) as unknown as CaseNamesRow[])),
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
