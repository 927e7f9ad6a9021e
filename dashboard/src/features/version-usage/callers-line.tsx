import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import {
  type AffectedCalls,
  callerDays,
  callersAmong,
  callersQuery,
  describeKeys,
} from '../../../../src/core/ledger/callers.ts';
import { useLastCall } from '../../api/last-call.ts';
import { useSession } from '../../api/session.ts';
import { fetchUsage, usageIntervalMs } from '../../api/usage.ts';
import { formatCount } from '../../components/text.ts';
import type { UsageFilter } from '../usage/usage-filter.ts';
import { callsPath } from './usage-path.ts';

interface CallersLineProps extends AffectedCalls {
  readonly preset: { readonly id: string; readonly slug: string };
}

/** Says who makes the calls that a change affects, and how often, to those who confirm it. */
export function CallersLine({ preset, isLive, labels }: CallersLineProps) {
  const { data, error } = useCallers(preset.id);
  const lastCall = useLastCall(preset.slug);
  if (error) return <p>Could not count the calls that change.</p>;
  if (data === undefined) return <p>Counting calls…</p>;
  const withLabel = isLive || labels.length !== 1 ? '' : ` with label ${labels[0]}`;
  for (const { days, rows, isCut } of data) {
    const callers = callersAmong(rows, { isLive, labels });
    if (callers === undefined) continue;
    const href = callsPath({ preset: preset.slug, ...filterOf({ isLive, labels }) }, { range: `${days}d` });
    return (
      <p>
        Called{' '}
        <Link href={href} target="_blank">
          {isCut && 'at least '}
          {formatCount(callers.calls, 'time', 'times')}
        </Link>
        {withLabel} in the last {days} days by {describeKeys(callers.keys)}.
      </p>
    );
  }
  if (lastCall.isPending) return <p>Counting calls…</p>;
  if (lastCall.data?.last_called_at === null) return <p>Never called.</p>;
  return <p>Not called{withLabel} in the last 30 days.</p>;
}

/** The page of usage filters by one value; calls of several kinds are all calls of the preset. */
function filterOf({ isLive, labels: [label, ...others] }: AffectedCalls): UsageFilter {
  if (isLive) return label === undefined ? { selection: 'live' } : {};
  return label === undefined || others.length > 0 ? {} : { label };
}

/** The calls of a preset by key, in the last week and in the last month. */
function useCallers(presetId: string) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: ['usage', workspaceId, 'callers', presetId],
    staleTime: usageIntervalMs,
    queryFn: ({ signal }) =>
      Promise.all(
        callerDays.map(async (days) => {
          const query = callersQuery(presetId, days, Date.now());
          const { data, metadata } = await fetchUsage(
            api,
            { workspaceId, isOrganization: false },
            query,
            signal,
          );
          return { days, rows: data, isCut: metadata.truncated };
        }),
      ),
  });
}
