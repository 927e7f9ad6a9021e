/** Midnight at the end of a local day; undefined if the text is not a date. */
export function endOfDay(date: string): Date | undefined {
  const start = startOfDay(date);
  return start && new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
}

/** Midnight at the start of a local day; undefined if the text is not a date. */
export function startOfDay(date: string): Date | undefined {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || year < 1970) return undefined;
  const start = new Date(year, month - 1, day);
  return start.getMonth() === month - 1 ? start : undefined;
}
