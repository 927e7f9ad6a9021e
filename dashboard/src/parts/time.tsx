/** How long ago something was, with the exact time where somebody points at it. */
export function Time({ at }: { readonly at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'medium' })}>
      {relativeTime(date.getTime(), Date.now())}
    </time>
  );
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });

/** "3 hours ago", "in 2 days"; the date itself where it is more than a month away. */
export function relativeTime(time: number, now: number): string {
  const distance = time - now;
  if (Math.abs(distance) < 60_000) return distance > 0 ? 'in a moment' : 'just now';
  const [unit, length] = units.find(([, ms]) => Math.abs(distance) >= ms) ?? ['minute', 60_000];
  if (unit !== 'day' || Math.abs(distance) < 31 * length)
    return relative.format(Math.trunc(distance / length), unit);
  return new Date(time).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' });
}
