import type { CaseRecord, CaseReference, CurrentCases, PresetCase } from '../core/presets/preset.ts';

/** Rows of test cases, and how they map to core values. Both engines select the same columns. */
export interface CaseRow {
  readonly name: string;
  /** Null if the name has no case any more. */
  readonly content: string | null;
  readonly number: number;
  readonly created_at: string;
  readonly actor_id: string;
  readonly actor_email: string | null;
}

/** Expects the case as `c`, its event as `e` and the user of that as `u`. */
export const caseColumns = 'c.name, c.content, c.number, e.created_at, e.actor_id, u.email AS actor_email';

/** A current case, with its content only if the change is about it. */
export interface CurrentCaseRow {
  readonly name: string;
  readonly content: string | null;
}

export interface CaseReferencesRow {
  readonly preset_id: string;
  /** A JSON array of pairs of name and event number, sorted by name. */
  readonly cases: string;
}

/** For changes that are not about cases. */
export const noCases: CurrentCases = { names: new Set(), contents: new Map() };

export function toCase(row: CaseRow): PresetCase | undefined {
  if (row.content === null) return undefined;
  return {
    name: row.name,
    contentJson: row.content,
    eventNumber: row.number,
    updatedAt: row.created_at,
    updatedBy: row.actor_id,
    updatedByEmail: row.actor_email,
  };
}

export function toCurrentCases(rows: readonly CurrentCaseRow[]): CurrentCases {
  return {
    names: new Set(rows.map(({ name }) => name)),
    contents: new Map(rows.flatMap(({ name, content }) => (content === null ? [] : [[name, content]]))),
  };
}

export function toCaseReferences(
  rows: readonly CaseReferencesRow[],
): ReadonlyMap<string, readonly CaseReference[]> {
  return new Map(
    rows.map(({ preset_id, cases }) => {
      const pairs: readonly [string, number][] = JSON.parse(cases);
      return [preset_id, pairs.map(([name, eventNumber]) => ({ name, eventNumber }))];
    }),
  );
}

/** Of several rows for one name, only the last can be current. */
export function isCurrent(record: CaseRecord, records: readonly CaseRecord[]): boolean {
  return record.contentJson !== null && records.findLast(({ name }) => name === record.name) === record;
}
