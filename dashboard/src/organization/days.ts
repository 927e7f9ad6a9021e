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
