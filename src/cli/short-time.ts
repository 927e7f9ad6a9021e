/** Shortens an ISO 8601 timestamp in UTC to the minute, for tables: "2026-08-01 09:30Z". */
export function shortTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}Z`;
}
