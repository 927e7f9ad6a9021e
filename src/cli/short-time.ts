/** "2026-08-01 09:30Z": to the minute, which is enough to find one's way. */
export function shortTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}Z`;
}
