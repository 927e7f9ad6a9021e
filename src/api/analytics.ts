import {
  type FilterOperator,
  filterOperators,
  granularities,
  type UsageDimensionName,
  type UsageMetricName,
  usageDimensions,
  usageMetrics,
} from '../core/ledger/usage-catalog.ts';
import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import { named, one, ref, timestampInput, unsupportedField, uuid, workspaceIdInput } from './schema-parts.ts';

const described = (name: string, label: string) =>
  ({
    name: Type.String({ description: name }),
    display_label: Type.String({ description: label }),
  }) as const;

const AnalyticsMeta = named(
  'AnalyticsMeta',
  Type.Object({
    metrics: Type.Array(
      Type.Object({
        ...described('For `metrics` of a query.', 'For people.'),
        is_rate: Type.Boolean({
          description: 'Whether it is an average or a share, which cannot be added up.',
        }),
        display_format: Type.Enum(['number', 'currency', 'percent', 'latency', 'throughput']),
      }),
    ),
    dimensions: Type.Array(
      Type.Object(described('For `dimensions` and `filters` of a query.', 'For people.')),
    ),
    operators: Type.Array(Type.Object({ name: Type.String(), value_type: Type.Enum(['scalar', 'array']) })),
    granularities: Type.Array(Type.Object(described('For `granularity` of a query.', 'For people.'))),
  }),
);

const scalar = Type.Union([Type.String({ maxLength: 512 }), Type.Number()]);
const namesOf = <Name extends string>(catalog: Readonly<Record<Name, unknown>>) =>
  Type.Enum(Object.keys(catalog) as Name[]);
const metric = namesOf<UsageMetricName>(usageMetrics);
const dimension = namesOf<UsageDimensionName>(usageDimensions);

const AnalyticsQuery = named(
  'AnalyticsQuery',
  Type.Object({
    metrics: Type.Array(metric, {
      minItems: 1,
      maxItems: 30,
      description: 'GET /analytics/meta says what they mean.',
    }),
    dimensions: Type.Optional(Type.Array(dimension, { maxItems: 3 })),
    filters: Type.Optional(
      Type.Array(
        Type.Object({
          field: dimension,
          operator: namesOf<FilterOperator>(filterOperators),
          value: Type.Union([scalar, Type.Array(scalar, { maxItems: 1_000 })]),
          include_unset: Type.Optional(
            Type.Boolean({ description: 'For `in` and `not_in`: also calls without a value.' }),
          ),
        }),
        { maxItems: 20 },
      ),
    ),
    granularity: Type.Optional(
      Type.Enum(granularities, { description: 'One row for each of these periods, in UTC.' }),
    ),
    time_range: Type.Optional(
      Type.Object({
        start: timestampInput('Rounded down to a full hour.'),
        end: timestampInput('Rounded up to a full hour.'),
      }),
    ),
    classifier_dimensions: unsupportedField(null, 'classifiers of calls'),
    classifier_filters: unsupportedField(null, 'classifiers of calls'),
    order_by: Type.Optional(
      Type.Object({
        field: Type.String({ maxLength: 100, description: 'A metric or dimension of the query, or `date`.' }),
        direction: Type.Enum(['asc', 'desc']),
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Default 1000.' })),
    group_limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'The most rows of one combination of dimensions.',
      }),
    ),
  }),
);

const AnalyticsResult = named(
  'AnalyticsResult',
  Type.Object({
    data: Type.Array(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])), {
      description:
        'One row for each period and combination of dimensions, with the time as `date`. Beside ids are their names, such as `preset_slug`. Null means unknown.',
    }),
    metadata: Type.Object({
      query_time_ms: Type.Number(),
      row_count: Type.Integer(),
      truncated: Type.Boolean({ description: 'Whether there are more rows than the limits allow.' }),
    }),
    warnings: Type.Optional(Type.Array(Type.String())),
  }),
);

const ActivityItem = named(
  'ActivityItem',
  Type.Object(
    {
      date: Type.String({ description: 'YYYY-MM-DD, in UTC.' }),
      model: Type.String(),
      model_permaslug: Type.String(),
      endpoint_id: Type.String({ description: 'The upstream.' }),
      provider_name: Type.String({ description: 'The upstream.' }),
      usage: Type.Number({ description: 'The cost in US dollars, without calls of unknown cost.' }),
      byok_usage_inference: Type.Number({ description: 'Always 0.' }),
      requests: Type.Integer(),
      prompt_tokens: Type.Integer(),
      completion_tokens: Type.Integer(),
      reasoning_tokens: Type.Integer(),
      cached_tokens: Type.Integer(),
      workspace_id: Type.Optional(uuid),
    },
    { additionalProperties: false },
  ),
);

export type ActivityItem = Type.Static<typeof ActivityItem.schema>;

export const analyticsOperations = operations({
  'GET /analytics/meta': {
    id: 'getAnalyticsMeta',
    tag: 'Usage',
    access: 'anyone',
    summary: 'List metrics and dimensions',
    response: { description: 'All that a query can name.', body: one(ref(AnalyticsMeta)) },
  },
  'POST /analytics/query': {
    id: 'queryAnalytics',
    tag: 'Usage',
    access: 'read',
    summary: 'Query usage',
    description:
      'Sums and quantiles of the calls that you can read. `error_code`, `app`, `external_user`, `session_id`, `finish_reason` and `responding_model` are known for as long as single calls are stored.',
    query: Type.Object({ workspace_id: Type.Optional(workspaceIdInput) }),
    body: ref(AnalyticsQuery),
    bodySize: 'small',
    response: {
      description: 'The rows, by time and then by the first metric unless ordered.',
      body: one(ref(AnalyticsResult)),
    },
  },
  'GET /activity': {
    id: 'getUserActivity',
    tag: 'Usage',
    access: 'read',
    summary: 'List daily usage',
    description: 'The last 30 completed days, by day, model and upstream.',
    query: Type.Object({
      date: Type.Optional(
        Type.String({
          pattern: '^(19[789]|[2-9]\\d\\d)\\d-\\d\\d-\\d\\d$',
          format: 'date',
          'x-must': 'must be a day since 1970 such as 2026-01-31',
          description: 'Only this day.',
        }),
      ),
      api_key_hash: Type.Optional(Type.String({ maxLength: 100, description: 'Only calls with this key.' })),
      user_id: Type.Optional(Type.String({ maxLength: 300, description: 'Only calls by this person.' })),
      group_by: Type.Optional(Type.Enum(['workspace'])),
      workspace_id: Type.Optional(workspaceIdInput),
    }),
    response: { description: 'Newest first.', body: Type.Object({ data: Type.Array(ref(ActivityItem)) }) },
  },
  'GET /credits': {
    id: 'getCredits',
    tag: 'Usage',
    access: 'read',
    summary: 'Get total usage',
    description:
      'What all calls that you can read have cost. presetd sells no credits: without a budget of the organization, `total_credits` is the usage itself.',
    query: Type.Object({ workspace_id: Type.Optional(workspaceIdInput) }),
    response: {
      description: 'In US dollars.',
      body: one(Type.Object({ total_credits: Type.Number(), total_usage: Type.Number() })),
    },
  },
});
