import { endOfDay } from '../days.ts';

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
