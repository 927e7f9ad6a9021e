import { formatCount, formatNumber } from './format-number.ts';

/** A page of a list, as the API returned it. */
interface ListPage {
  readonly offset: number;
  readonly limit: number;
  readonly totalCount: number;
  /** False if the total is a lower bound, as in searches, where counting stops early. */
  readonly isTotalExact?: boolean | undefined;
  /** The noun in the singular; the plural adds an "s". */
  readonly one: string;
}

interface PageRange {
  /** "51–100 of 1,200 presets". */
  readonly range: string;
  /** Offset of the previous page; undefined on the first one. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/**
 * Describes a page of a list. `offset` may be past the end, for example after deletions; `previous`
 * is then the last page that exists.
 */
export function pageRange({ offset, limit, totalCount, isTotalExact = true, one }: ListPage): PageRange {
  const last = Math.min(offset + limit, totalCount);
  const lastPage = Math.max(0, Math.floor((totalCount - 1) / limit) * limit);
  const total = totalCount === 0 ? `No ${one}s` : countText(totalCount, isTotalExact, one);
  const isWhole = totalCount === 0 || (offset === 0 && last === totalCount);
  return {
    range: isWhole ? total : `${partText(offset, last)} of ${total}`,
    previous: offset === 0 ? undefined : Math.max(0, Math.min(offset - limit, lastPage)),
    next: last >= totalCount ? undefined : offset + limit,
  };
}

function countText(totalCount: number, isTotalExact: boolean, one: string): string {
  if (isTotalExact) return formatCount(totalCount, one, `${one}s`);
  return `more than ${formatCount(totalCount - 1, one, `${one}s`)}`;
}

/** "None" for a page past the end. */
function partText(offset: number, last: number): string {
  return offset >= last ? 'None' : `${formatNumber(offset + 1)}–${formatNumber(last)}`;
}
