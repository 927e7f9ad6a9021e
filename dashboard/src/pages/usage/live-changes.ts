import { useQuery } from '@tanstack/react-query';
import type { PresetEvent } from '../../../../src/api/events.ts';
import { useSession } from '../../api/session.ts';
import { isVersion } from '../../features/events/changed-versions.ts';
import type { UsageView } from './usage-view.ts';

/** A version that went live. */
export interface LiveChange {
  readonly version: number;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** Limits how long charts wait: more markers would overlap anyway. */
const pagesMax = 5;
const eventsPerPage = 100;

/** When versions of the preset went live in the range, oldest first. None without a preset. */
export function useLiveChanges(
  slug: string | undefined,
  { start, end }: Pick<UsageView, 'start' | 'end'>,
): readonly LiveChange[] {
  const { api, workspaceId } = useSession();
  const { data = none } = useQuery({
    queryKey: ['presets', workspaceId, 'one', slug, 'live changes', start, end],
    enabled: slug !== undefined,
    // The charts are right without markers, such as those of a preset that has been deleted.
    retry: false,
    queryFn: async ({ signal }) => {
      const events: PresetEvent[] = [];
      for (let page = 0; page < pagesMax; page += 1) {
        const input = {
          params: { slug: slug ?? '' },
          query: { workspace_id: workspaceId, offset: page * eventsPerPage, limit: eventsPerPage },
        };
        const { data: found } = (await api.call('GET /presets/:slug/events', input, { signal })).content;
        events.push(...found);
        const oldest = found.at(-1);
        if (oldest === undefined || found.length < eventsPerPage || Date.parse(oldest.created_at) < start)
          break;
      }
      return liveChanges(events, start, end);
    },
  });
  return data;
}

const none: readonly LiveChange[] = [];

/** Those of a range, the first one first. Events come newest first. */
export function liveChanges(
  events: readonly Pick<PresetEvent, 'before' | 'after' | 'created_at'>[],
  start: number,
  end: number,
): readonly LiveChange[] {
  return events
    .flatMap(({ before, after, created_at }) => {
      const version = after?.designated_version;
      const at = Date.parse(created_at);
      const isChange = isVersion(version) && version !== before?.designated_version;
      return isChange && at >= start && at < end ? [{ version, at }] : [];
    })
    .reverse();
}

/** Those in a period of a chart. */
export function changesIn(
  changes: readonly LiveChange[],
  period: number,
  dates: readonly string[],
): readonly LiveChange[] {
  const start = Date.parse(dates[period] ?? '');
  const end = Date.parse(dates[period + 1] ?? '');
  return changes.filter(({ at }) => at >= start && !(at >= end));
}
