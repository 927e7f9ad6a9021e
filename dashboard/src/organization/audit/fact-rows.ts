import type { AuditEvent } from '../../../../src/client/organization-answers.ts';

export interface FactRow {
  readonly name: string;
  /** Undefined where it is not told. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What an event tells of before and after, side by side. */
export function factRows({ before, after }: Pick<AuditEvent, 'before' | 'after'>): readonly FactRow[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((name) => ({
    name: name.replaceAll('_', ' '),
    before: shown(before?.[name]),
    after: shown(after?.[name]),
  }));
}

function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
