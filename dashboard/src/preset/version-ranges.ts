import type { PageQuery } from '../api/presets.ts';

const rangeSize = 20;
/** The first range has at least this many, so that the list is never nearly empty. */
const newestMin = 10;

/**
 * Pages of versions, newest first. Their boundaries stay the same when versions are added, so
 * cached pages remain valid; only the newest range grows until it is split.
 */
export function versionRanges(count: number, rangesMax: number): readonly PageQuery[] {
  const newestOffset = Math.max(0, Math.floor((count - newestMin) / rangeSize) * rangeSize);
  const ranges = [{ offset: newestOffset, limit: count - newestOffset }];
  for (let offset = newestOffset - rangeSize; offset >= 0 && ranges.length < rangesMax; offset -= rangeSize)
    ranges.push({ offset, limit: rangeSize });
  return ranges;
}
