import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { PresetSummary } from '../../../../src/api/presets.ts';
import { lastDays, productionCalls } from '../../../../src/core/ledger/callers.ts';
import { useSession } from '../../api/session.ts';
import { fetchUsage, usageIntervalMs } from '../../api/usage.ts';
import { formatCount, formatNumber } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { callsPath } from './usage-path.ts';
import styles from './version-usage.module.css';

/** Calls of a preset in the last 30 days. */
interface PresetCalls {
  readonly total: number;
  /** For each day, oldest first. Undefined if there are too many presets to know. */
  readonly days: readonly number[] | undefined;
}

/** By the id of the preset. Presets without calls are missing. */
export type CallsByPreset = ReadonlyMap<string, PresetCalls>;

const sparklineDays = 30;

/** All presets of the workspace in one query, or in two if the API does not return all rows. */
export function usePresetCalls(): CallsByPreset | undefined {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: ['usage', workspaceId, 'presets'],
    staleTime: usageIntervalMs,
    queryFn: async ({ signal }): Promise<CallsByPreset> => {
      const range = lastDays(sparklineDays, Date.now());
      const query = {
        metrics: ['request_count' as const],
        dimensions: ['preset' as const],
        filters: productionCalls(),
        time_range: range,
        limit: 10_000,
      };
      const daily = await fetchUsage(
        api,
        { workspaceId, isOrganization: false },
        { ...query, granularity: 'day' },
        signal,
      );
      if (!daily.metadata.truncated) return callsByDay(daily.data, range.start);
      const totals = await fetchUsage(api, { workspaceId, isOrganization: false }, query, signal);
      return new Map(
        totals.data.map((row) => [String(row.preset), { total: Number(row.request_count), days: undefined }]),
      );
    },
  }).data;
}

type Row = Readonly<Record<string, string | number | null>>;

const dayMs = 86_400_000;

export function callsByDay(rows: readonly Row[], start: string): CallsByPreset {
  const byPreset = new Map<string, { total: number; days: number[] }>();
  for (const row of rows) {
    const id = String(row.preset);
    const calls = byPreset.get(id) ?? { total: 0, days: Array.from({ length: sparklineDays }, () => 0) };
    const day = Math.floor((Date.parse(String(row.date)) - Date.parse(start)) / dayMs);
    const count = Number(row.request_count);
    byPreset.set(id, {
      total: calls.total + count,
      days: calls.days.with(day, (calls.days[day] ?? 0) + count),
    });
  }
  return byPreset;
}

interface CallsCellProps {
  readonly preset: Pick<PresetSummary, 'id' | 'slug' | 'last_called_at'>;
  /** Undefined while they are loading, and for people who may not see them. */
  readonly calls: CallsByPreset | undefined;
}

/**
 * How often the preset was called in 30 days, how that went up and down, and when it was called
 * last. It has its size before it has its numbers. Calls do not refresh the list, so the last one
 * is as old as the list.
 */
export function CallsCell({ preset, calls }: CallsCellProps) {
  const { slug, last_called_at: at } = preset;
  const found = calls?.get(preset.id);
  return (
    <span className={styles.calls}>
      <span className={styles.callCount}>
        {found !== undefined ? (
          <Link
            href={callsPath({ preset: slug }, { range: '30d' })}
            title={`${formatCount(found.total, 'call', 'calls')} in the last ${sparklineDays} days`}
          >
            {formatNumber(found.total)}
          </Link>
        ) : (
          calls !== undefined && <span className="muted">0</span>
        )}
      </span>
      <Sparkline days={found?.days} />
      <span className={styles.lastCall}>{at ? <Time at={at} /> : 'Never called'}</span>
    </span>
  );
}

const size = { width: 64, height: 16 };

/** A line through all days but today: a day that has not ended would look like a loss of calls. */
function Sparkline({ days: all = [] }: { readonly days: readonly number[] | undefined }) {
  const days = all.slice(0, -1);
  const most = Math.max(1, ...days);
  const points = days.map((calls, day) => {
    const x = (day / (days.length - 1)) * size.width;
    return `${x.toFixed(1)} ${(size.height - 1 - (calls / most) * (size.height - 2)).toFixed(1)}`;
  });
  return (
    <svg {...size} className={styles.sparkline} aria-hidden="true">
      {points.length > 0 && (
        <>
          <path
            className={styles.area}
            d={`M0 ${size.height}L${points.join('L')}L${size.width} ${size.height}Z`}
          />
          <path d={`M${points.join('L')}`} />
        </>
      )}
    </svg>
  );
}
