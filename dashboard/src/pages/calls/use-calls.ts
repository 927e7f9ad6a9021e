import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Generation } from '../../../../src/api/generations.ts';
import { type RowSource, useRowSource } from '../../api/row-source.ts';
import { useSession } from '../../api/session.ts';
import { type CallQuery, fetchCalls } from '../../api/usage.ts';
import { mergeCalls, newCalls } from './merge-calls.ts';

export interface FollowedCalls {
  readonly source: RowSource<Generation>;
  /** How many new calls wait, because showing them would move what somebody reads. */
  readonly waiting: number;
  /** There may be more than are known. */
  readonly isWaitingMore: boolean;
  showWaiting(): void;
}

interface CallPage {
  readonly rows: readonly Generation[];
  readonly next: string | undefined;
}

const intervalMs = 2_000;
/** More new calls than this between two looks, and the list starts anew from the newest. */
const pagesMax = 5;
/** Beyond this, a list that is followed for hours would fill the memory of the browser. */
const addedMax = 5_000;

const none: readonly Generation[] = [];

/**
 * The calls that match, newest first. While they are followed, the newest pages are read every two
 * seconds, up to the first call that is known. What is new is shown at once if `canMove`, and waits
 * otherwise.
 */
export function useCalls(query: CallQuery, isFollowed: boolean, canMove: () => boolean): FollowedCalls {
  const { api } = useSession();
  const queryClient = useQueryClient();
  const text = JSON.stringify(query);
  const queryKey = ['calls', 'list', text];
  const source = useRowSource<Generation, string>({
    queryKey,
    keyOf: ({ id }) => id,
    isRefetchedOnFocus: false,
    fetchPage: (cursor, signal) => fetchCalls(api, query, cursor, signal),
  });
  const [added, setAdded] = useState<Added>({ text, shown: none, waiting: none, restart: undefined });
  const { shown, waiting, restart } = added.text === text ? added : { ...added, ...nothingAdded };
  const isLoaded = source.rows !== undefined && !source.isStale;
  const rows = useMemo(
    () =>
      source.rows === undefined ? undefined : shown === none ? source.rows : mergeCalls(source.rows, shown),
    [source.rows, shown],
  );
  const newest = useRef<string>(undefined);
  newest.current = (waiting[0] ?? rows?.[0])?.id;
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['calls', 'newest', text],
    enabled: isFollowed && isLoaded,
    refetchInterval: intervalMs,
    // Each look may only be compared with the list of its time.
    gcTime: 0,
    staleTime: 0,
    queryFn: ({ signal }) => fetchNewest((cursor) => fetchCalls(api, query, cursor, signal), newest.current),
  });

  const show = (calls: readonly Generation[], first: CallPage | undefined) => {
    if (first === undefined && shown.length + calls.length <= addedMax) {
      setAdded({ text, ...nothingAdded, shown: mergeCalls(shown, calls) });
      return;
    }
    const start = first ?? data?.first;
    if (start === undefined) return;
    const pages: InfiniteData<CallPage> = { pages: [start], pageParams: [undefined] };
    queryClient.setQueryData(queryKey, pages);
    setAdded({ text, ...nothingAdded });
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per poll; the state it sets must not run it again
  useEffect(() => {
    if (data === undefined || rows === undefined || !isLoaded) return;
    const found = newCalls(data.calls, rows, !source.hasMore);
    if (found.length === 0) return;
    if (canMove()) show(found, data.isGap ? data.first : undefined);
    else
      setAdded({
        text,
        shown,
        waiting: mergeCalls(waiting, found),
        restart: data.isGap ? data.first : restart,
      });
  }, [data, dataUpdatedAt]);

  return {
    source: { ...source, rows },
    waiting: waiting.length,
    isWaitingMore: restart !== undefined,
    showWaiting: () => show(waiting, restart),
  };
}

interface Added {
  /** The query that they belong to. */
  readonly text: string;
  readonly shown: readonly Generation[];
  readonly waiting: readonly Generation[];
  /** The newest page, from which the list starts anew once there is a gap below it. */
  readonly restart: CallPage | undefined;
}

const nothingAdded = { shown: none, waiting: none, restart: undefined } as const;

interface Newest {
  readonly calls: readonly Generation[];
  readonly first: CallPage;
  /** There are more new calls than were read. */
  readonly isGap: boolean;
}

/**
 * Reads pages until one contains a call that is known. An empty page ends it: going on with the search
 * for rare calls every two seconds would keep the server busy.
 */
export async function fetchNewest(
  fetchPage: (cursor: string | undefined) => Promise<CallPage>,
  known: string | undefined,
): Promise<Newest> {
  const first = await fetchPage(undefined);
  let page = first;
  let calls = first.rows;
  for (let count = 1; count < pagesMax && page.rows.length > 0 && isAbove(page, known); count += 1) {
    page = await fetchPage(page.next);
    calls = [...calls, ...page.rows];
  }
  return { calls, first, isGap: known !== undefined && isAbove(page, known) };
}

/** Whether calls between this page and the known one may be missing. A cursor is like the id of a call. */
function isAbove({ next }: CallPage, known: string | undefined): boolean {
  return next !== undefined && known !== undefined && next > known;
}
