/**
 * Histograms of durations as text, in buckets whose bounds grow by 2 %, so that any quantile is
 * wrong by at most 1 %. A bucket is two letters, followed by the number of calls if there are
 * several: `Fy3Fz` is three calls in one bucket and one in the next. Appending one text to another
 * adds them up, so that SQL can do it.
 */
export const growth = 1.02;
const logOfGrowth = Math.log(growth);

/** Calls of more than a month are in the last bucket. */
export const bucketsMax = 1_100;

/** The bucket of a duration. Everything up to a millisecond is in the first one. */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(Math.ceil(Math.log(ms) / logOfGrowth), bucketsMax - 1);
}

/** The duration that is at most 1 % away from all durations in a bucket. */
export function durationOf(bucket: number): number {
  return bucket === 0 ? 1 : (2 * growth ** bucket) / (1 + growth);
}

/** The text of a single call that took so long. */
export function formatDuration(ms: number): string {
  return formatBucket(bucketOf(ms), 1);
}

/** The shortest text with the same calls. */
export function compactDurations(durations: string): string {
  const counts = countDurations(durations);
  let text = '';
  for (const [bucket, count] of counts.entries()) if (count > 0) text += formatBucket(bucket, count);
  return text;
}

/** The durations by which these shares of the calls have ended; undefined if there are no calls. */
export function quantilesOf(durations: string, shares: readonly number[]): readonly (number | undefined)[] {
  const counts = countDurations(durations);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return shares.map((share) => {
    let reached = 0;
    const bucket = counts.findIndex((count) => {
      reached += count;
      return count > 0 && reached >= share * total;
    });
    return bucket === -1 ? undefined : durationOf(bucket);
  });
}

/** The number of calls in each bucket. Charts over months have texts of megabytes. */
function countDurations(durations: string): Float64Array {
  const counts = new Float64Array(bucketsMax);
  for (let index = 0; index < durations.length; ) {
    const bucket = 52 * letterAt(durations, index) + letterAt(durations, index + 1);
    index += 2;
    let count = 0;
    for (; durations.charCodeAt(index) < afterDigits; index += 1)
      count = 10 * count + durations.charCodeAt(index) - firstDigit;
    counts[bucket] = (counts[bucket] ?? 0) + (count || 1);
  }
  return counts;
}

export const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const firstDigit = '0'.charCodeAt(0);
const afterDigits = '9'.charCodeAt(0) + 1;
const firstSmall = 'a'.charCodeAt(0);
const firstCapital = 'A'.charCodeAt(0);

function letterAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= firstSmall ? code - firstSmall + 26 : code - firstCapital;
}

function formatBucket(bucket: number, count: number): string {
  const name = letters.charAt(Math.floor(bucket / 52)) + letters.charAt(bucket % 52);
  return count === 1 ? name : name + count;
}
