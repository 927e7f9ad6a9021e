/**
 * Latencies are counted in buckets whose bounds grow by 2 %, so that any quantile of a sum of buckets
 * is wrong by at most 1 %. Buckets of any calls can be added up.
 */
const growth = 1.02;
const logOfGrowth = Math.log(growth);

/** The bucket of a duration. Everything up to a millisecond is in the first one. */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / logOfGrowth);
}

/** The duration that is at most 1 % away from all durations in a bucket. */
export function durationOf(bucket: number): number {
  return bucket === 0 ? 1 : (2 * growth ** bucket) / (1 + growth);
}
