/** How often a limit resets, in UTC: each day, on Mondays, or on the first of the month. */
export const periodOf = { daily: 'day', weekly: 'week', monthly: 'month' } as const;

export type LimitReset = keyof typeof periodOf;

/** From most to least often. */
export const limitResets: readonly LimitReset[] = ['daily', 'weekly', 'monthly'];

/** More billionths than in nine million dollars would not be exact as a number. */
export const limitDollarsMax = 9_000_000;

/** More can be spent with a limit that resets more often. Null: it never does. */
export function resetsMoreOften(reset: LimitReset | null, than: LimitReset | null): boolean {
  const rank = (each: LimitReset | null) => (each === null ? limitResets.length : limitResets.indexOf(each));
  return rank(reset) < rank(than);
}

/** Undefined for text that is not an amount that a limit can have. */
export function parseDollars(text: string): number | undefined {
  if (!/^\d{1,7}(\.\d{1,9})?$/.test(text) || Number(text) > limitDollarsMax) return undefined;
  return Number(text);
}
