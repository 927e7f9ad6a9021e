import type { PageQuery } from '../api/presets.ts';

const rangeSize = 20;
const newestMin = 10;

/**
 * The versions from the newest back, in ranges that stay the same when versions are added, so that what was read once is
 * not read again. The newest range grows until it is worth cutting.
 */
export function versionRanges(count: number, rangesMax: number): readonly PageQuery[] {
  const newestOffset = Math.max(0, Math.floor((count - newestMin) / rangeSize) * rangeSize);
  const ranges = [{ offset: newestOffset, limit: count - newestOffset }];
  for (let offset = newestOffset - rangeSize; offset >= 0 && ranges.length < rangesMax; offset -= rangeSize)
    ranges.push({ offset, limit: rangeSize });
  return ranges;
}
