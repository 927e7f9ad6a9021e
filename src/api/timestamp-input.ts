import { Type } from 'typebox';

/**
 * A time in a request, with any offset from UTC. Leap seconds are rejected, because `Date` cannot
 * represent them, and so are years before 1970 and after 9999, which do not sort as text.
 */
export const timestampInput = Type.String({
  pattern: '^(19[789]|[2-9]\\d\\d)\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
  format: 'date-time',
  'x-must': 'must be a time since 1970 such as 2026-01-31T12:00:00Z',
});

/** Normalizes a time to the format that the database stores, in which times compare as text. */
export function toUtc(time: string): string {
  return new Date(time).toISOString();
}
