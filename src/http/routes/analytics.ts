import type { FastifyInstance } from 'fastify';
import { type ActivityItem, analyticsOperations } from '../../api/analytics.ts';
import type { UsageStores } from '../../core/ledger/call-access.ts';
import { reportRowsMax } from '../../core/ledger/ledger-storage.ts';
import { queryUsage, type UsageQuery } from '../../core/ledger/read-usage.ts';
import {
  filterOperators,
  granularities,
  usageDimensions,
  usageMetrics,
} from '../../core/ledger/usage-catalog.ts';
import type { Caller } from '../../core/organization/caller.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';

const dayMs = 86_400_000;
const rangeDaysDefault = 30;
const limitDefault = 1_000;

export function analyticsRoutes(scope: FastifyInstance, stores: UsageStores, retentionDays: number): void {
  const run = (caller: Caller, query: UsageQuery) =>
    queryUsage(stores, caller, query, { retentionDays, now: Date.now() });
  serveOperations(scope, analyticsOperations, {
    'GET /analytics/meta': () => ({ data: meta }),
    'POST /analytics/query': async (request) => {
      const startedAt = performance.now();
      const { metrics, dimensions = [], filters = [], granularity, ...body } = request.body;
      const { time_range: range, order_by: orderBy, limit = limitDefault, group_limit: groupLimit } = body;
      const end = range === undefined ? Date.now() : Date.parse(range.end);
      const { rows, isTruncated, warnings } = await run(callerOf(request), {
        workspaceId: request.query.workspace_id,
        metrics,
        dimensions,
        filters: filters.map(({ include_unset: includesUnset, ...filter }) => ({ ...filter, includesUnset })),
        granularity,
        start: range === undefined ? end - rangeDaysDefault * dayMs : Date.parse(range.start),
        end,
        orderBy,
        limit,
        groupLimit,
      });
      const queryTimeMs = Math.round(performance.now() - startedAt);
      return {
        data: {
          data: [...rows],
          metadata: { query_time_ms: queryTimeMs, row_count: rows.length, truncated: isTruncated },
          ...(warnings.length > 0 && { warnings: [...warnings] }),
        },
      };
    },
    'GET /activity': async (request) => {
      const {
        date,
        api_key_hash: key,
        user_id: user,
        group_by: groupBy,
        workspace_id: workspaceId,
      } = request.query;
      const today = Math.floor(Date.now() / dayMs) * dayMs;
      const start = date === undefined ? today - rangeDaysDefault * dayMs : Date.parse(`${date}T00:00:00Z`);
      const { rows } = await run(callerOf(request), {
        workspaceId,
        metrics: activityMetrics,
        dimensions: ['model', 'upstream', ...(groupBy === undefined ? [] : (['workspace'] as const))],
        filters: [
          ...(key === undefined ? [] : [{ field: 'api_key_id', operator: 'eq', value: key } as const]),
          ...(user === undefined ? [] : [{ field: 'user', operator: 'eq', value: user } as const]),
        ],
        granularity: 'day',
        start,
        end: date === undefined ? today : start + dayMs,
        orderBy: { field: 'date', direction: 'desc' },
        limit: reportRowsMax,
        groupLimit: undefined,
      });
      return { data: rows.map(activityToWire) };
    },
    'GET /credits': async (request) => {
      const { rows } = await run(callerOf(request), {
        workspaceId: request.query.workspace_id,
        metrics: ['total_usage'],
        dimensions: [],
        filters: [],
        granularity: undefined,
        start: 0,
        end: Date.now() + dayMs,
        orderBy: undefined,
        limit: 1,
        groupLimit: undefined,
      });
      const usage = Number(rows[0]?.total_usage ?? 0);
      return { data: { total_credits: usage, total_usage: usage } };
    },
  });
}

const activityMetrics = [
  ...(['request_count', 'total_usage', 'tokens_prompt', 'tokens_completion'] as const),
  ...(['reasoning_tokens', 'cached_tokens'] as const),
];

function activityToWire(row: Readonly<Record<string, unknown>>): ActivityItem {
  const number = (name: string) => Number(row[name] ?? 0);
  const text = (name: string) => String(row[name] ?? '');
  return {
    date: text('date').slice(0, 10),
    model: text('model'),
    model_permaslug: text('model'),
    endpoint_id: text('upstream'),
    provider_name: text('upstream'),
    usage: number('total_usage'),
    byok_usage_inference: 0,
    requests: number('request_count'),
    prompt_tokens: number('tokens_prompt'),
    completion_tokens: number('tokens_completion'),
    reasoning_tokens: number('reasoning_tokens'),
    cached_tokens: number('cached_tokens'),
    ...(row.workspace !== undefined && { workspace_id: text('workspace') }),
  };
}

const meta = {
  metrics: Object.entries(usageMetrics).map(([name, { label, isRate, format }]) => ({
    name,
    display_label: label,
    is_rate: isRate,
    display_format: format,
  })),
  dimensions: Object.entries(usageDimensions).map(([name, { label }]) => ({ name, display_label: label })),
  operators: Object.entries(filterOperators).map(([name, type]) => ({ name, value_type: type })),
  granularities: granularities.map((name) => ({
    name,
    display_label: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
  })),
};
