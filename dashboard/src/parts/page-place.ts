import { grouped } from './counted.ts';

interface PageOfList {
  readonly offset: number;
  readonly limit: number;
  readonly totalCount: number;
}

interface PagePlace {
  /** Without what is counted: "51–100 of 1,200". */
  readonly range: string;
  /** Where the page before begins; undefined where there is none. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/** An address may ask for a page after the last one, as when a list has become shorter. The last page is before that. */
export function pagePlace({ offset, limit, totalCount }: PageOfList): PagePlace {
  const last = Math.min(offset + limit, totalCount);
  const lastPage = Math.max(0, Math.floor((totalCount - 1) / limit) * limit);
  const isPastEnd = offset > 0 && offset >= totalCount;
  return {
    range: isPastEnd ? `None of ${grouped(totalCount)}` : rangeText(offset + 1, last, totalCount),
    previous: offset === 0 ? undefined : Math.max(0, Math.min(offset - limit, lastPage)),
    next: last >= totalCount ? undefined : offset + limit,
  };
}

function rangeText(first: number, last: number, totalCount: number): string {
  return totalCount === 0 ? 'No' : `${grouped(first)}–${grouped(last)} of ${grouped(totalCount)}`;
}
