import { endOfDay } from '../days.ts';

/** Numbers are days from now. `keep` is offered only when editing a key. */
export type ExpiryChoice = 'keep' | 'never' | '30' | '90' | 'date';

export interface Expiry {
  readonly choice: ExpiryChoice;
  /** As a date input returns it, 2027-01-31; empty if none is chosen. */
  readonly date: string;
}

export type ExpiryResult =
  | { readonly at: string | null | undefined; readonly problem?: never }
  | { readonly problem: string };

const dayMs = 24 * 3_600_000;

/**
 * When a key expires: null for never, undefined to keep the current expiry. A date includes the
 * whole of that local day.
 */
export function readExpiry({ choice, date }: Expiry, now: number): ExpiryResult {
  if (choice === 'keep') return { at: undefined };
  if (choice === 'never') return { at: null };
  if (choice !== 'date') return { at: new Date(now + Number(choice) * dayMs).toISOString() };
  const end = endOfDay(date);
  if (end === undefined) return { problem: 'Choose a date.' };
  if (end.getTime() <= now)
    return { problem: 'Choose today or a later date. To stop the key now, disable it.' };
  return { at: end.toISOString() };
}
