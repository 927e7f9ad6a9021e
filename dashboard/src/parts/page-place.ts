import { counted, grouped } from './counted.ts';

interface PageOfList {
  readonly offset: number;
  readonly limit: number;
  readonly totalCount: number;
  /** False where there are that many at least, of which the last is on the next page. */
  readonly isTotalExact?: boolean | undefined;
  /** What is counted, in the singular; the plural has an s. */
  readonly one: string;
}

interface PagePlace {
  /** "51–100 of 1,200 presets". */
  readonly range: string;
  /** Where the page before begins; undefined where there is none. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/** An address may ask for a page after the last one, as when a list has become shorter. The last page is before that. */
export function pagePlace({ offset, limit, totalCount, isTotalExact = true, one }: PageOfList): PagePlace {
  const last = Math.min(offset + limit, totalCount);
  const lastPage = Math.max(0, Math.floor((totalCount - 1) / limit) * limit);
  const all = totalCount === 0 ? `No ${one}s` : countText(totalCount, isTotalExact, one);
  const isWhole = totalCount === 0 || (offset === 0 && last === totalCount);
  return {
    range: isWhole ? all : `${partText(offset, last)} of ${all}`,
    previous: offset === 0 ? undefined : Math.max(0, Math.min(offset - limit, lastPage)),
    next: last >= totalCount ? undefined : offset + limit,
  };
}

function countText(totalCount: number, isTotalExact: boolean, one: string): string {
  if (isTotalExact) return counted(totalCount, one, `${one}s`);
  return `more than ${counted(totalCount - 1, one, `${one}s`)}`;
}

function partText(offset: number, last: number): string {
  return offset >= last ? 'None' : `${grouped(offset + 1)}–${grouped(last)}`;
}
