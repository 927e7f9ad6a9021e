import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { createCallFeed, type NewCalls } from '../../../../src/api/call-feed.ts';
import type { Generation } from '../../../../src/api/generations.ts';
import { type RowSource, useRowSource } from '../../api/row-source.ts';
import { useSession } from '../../api/session.ts';
import { type CallQuery, fetchCalls } from '../../api/usage.ts';
import { mergeCalls, newCalls } from './merge-calls.ts';

interface FollowedCalls {
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
/** Beyond this, a list that is followed for hours would fill the memory of the browser. */
const addedMax = 5_000;

const none: readonly Generation[] = [];

/**
 * The calls that match, newest first. While they are followed, a feed looks for new ones every two
 * seconds. They are shown at once if `canMove`, and wait otherwise. If there are more than a look
 * reads, the list starts anew from the newest.
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
  const { look } = useFeed(query, text);
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['calls', 'newest', text],
    enabled: isFollowed && isLoaded,
    refetchInterval: intervalMs,
    // Each look may only be compared with the list of its time.
    gcTime: 0,
    staleTime: 0,
    queryFn: ({ signal }) => look(signal),
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per poll; it would loop if the state that it sets ran it again
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

interface News extends NewCalls {
  /** The newest page. */
  readonly first: CallPage | undefined;
}

/** A feed for each query, which knows the calls of its earlier looks. */
function useFeed(query: CallQuery, text: string) {
  const { api } = useSession();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` is the query as text, and changes with it
  return useMemo(() => {
    let first: CallPage | undefined;
    const feed = createCallFeed(async (cursor, signal) => {
      const page = await fetchCalls(api, query, cursor, signal);
      if (cursor === undefined) first = page;
      return { data: page.rows, next_cursor: page.next ?? null };
    });
    return {
      look: async (signal: AbortSignal): Promise<News> => {
        const news = await feed.look(signal);
        return { ...news, first };
      },
    };
  }, [api, text]);
}
