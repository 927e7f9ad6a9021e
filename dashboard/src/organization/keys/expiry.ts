export type ExpiryChoice = 'keep' | 'never' | '30' | '90' | 'date';

export interface Expiry {
  readonly choice: ExpiryChoice;
  /** As a field for dates has it, 2027-01-31; empty where none was chosen. */
  readonly date: string;
}

export type ExpiryResult =
  | { readonly at: string | null | undefined; readonly problem?: never }
  | { readonly problem: string };

const dayMs = 24 * 3_600_000;

/** When a key is to expire: null for never, undefined to leave it. A date is meant with the whole of that day, local time. */
export function readExpiry({ choice, date }: Expiry, now: number): ExpiryResult {
  if (choice === 'keep') return { at: undefined };
  if (choice === 'never') return { at: null };
  if (choice !== 'date') return { at: new Date(now + Number(choice) * dayMs).toISOString() };
  const end = endOfDay(date);
  if (end === undefined) return { problem: 'Choose a date.' };
  if (end.getTime() <= now)
    return { problem: 'Choose a day that is not over. To stop a key now, disable it.' };
  return { at: end.toISOString() };
}

/** The midnight after a day, local time. Undefined for what is no date. */
export function endOfDay(date: string): Date | undefined {
  const start = startOfDay(date);
  return start && new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
}

export function startOfDay(date: string): Date | undefined {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || year < 1970) return undefined;
  const start = new Date(year, month - 1, day);
  return start.getMonth() === month - 1 ? start : undefined;
}
