import type { AuditEvent } from '../../../../src/client/organization-answers.ts';

export interface ChangeRow {
  readonly name: string;
  /** Undefined if the event does not record it. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The values of an event before and after, side by side. */
export function changeRows({ before, after }: Pick<AuditEvent, 'before' | 'after'>): readonly ChangeRow[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((name) => ({
    name: name.replaceAll('_', ' '),
    before: shown(before?.[name]),
    after: shown(after?.[name]),
  }));
}

/** Null and the empty string both mean that nothing was set. */
function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
