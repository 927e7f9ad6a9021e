import type { FastifyInstance } from 'fastify';
import { type Generation, GenerationDetails, generationOperations } from '../../api/generations.ts';
import { headerNames } from '../../core/header-names.ts';
import type { UsageStores } from '../../core/ledger/call-access.ts';
import { arrivalOf, clientClosedRequest, formatGenerationId } from '../../core/ledger/call-record.ts';
import type { StoredCall } from '../../core/ledger/ledger-storage.ts';
import { type Price, toDollars } from '../../core/ledger/price.ts';
import { listCalls, readCall } from '../../core/ledger/read-calls.ts';
import { type UsageDimensionName, usageDimensions } from '../../core/ledger/usage-catalog.ts';
import type { UsageFilterInput } from '../../core/ledger/usage-filters.ts';
import { normalizeFinishReason } from '../../dialects/finish-reason.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';
import { toWireBy } from '../wire-fields.ts';
import { toCsv } from './csv.ts';
import { otherIdsOf } from './generation-content.ts';

export function generationRoutes(scope: FastifyInstance, stores: UsageStores): void {
  serveOperations(scope, generationOperations, {
    'GET /generation': async (request) => {
      const { id } = request.query;
      const call = await readCall(stores.ledger, callerOf(request), id, otherIdsOf(id));
      return { data: generationToWire(call) };
    },
    'GET /generations': async (request, reply) => {
      const {
        workspace_id: workspaceId,
        since,
        until,
        limit = 50,
        cursor,
        status,
        ...others
      } = request.query;
      const { calls, nextCursor } = await listCalls(stores, callerOf(request), {
        workspaceId,
        filters: [...statusFilters(status), ...filtersOf(others)],
        since: since === undefined ? undefined : Date.parse(since),
        until: until === undefined ? undefined : Date.parse(until),
        cursor,
        limit,
      });
      const data = calls.map(generationToWire);
      const next = nextCursor === null ? null : formatGenerationId(nextCursor);
      const format = formatOf(request.headers.accept);
      reply.header('vary', 'accept');
      if (format === 'json') return { data, next_cursor: next };
      if (next !== null) reply.header(headerNames.nextCursor, next);
      const lines = data.map((each) => `${JSON.stringify(each)}\n`).join('');
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
        .send(format === 'csv' ? toCsv(data.map(flatten)) : lines);
    },
  });
}

function statusFilters(status: string | undefined): readonly UsageFilterInput[] {
  if (status === undefined) return [];
  if (status === 'error') return [{ field: 'status', operator: 'gte', value: 400 }];
  if (status === 'success') return [{ field: 'status', operator: 'lt', value: 400 }];
  return [{ field: 'status', operator: 'eq', value: Number(status) }];
}

function filtersOf(
  query: Readonly<Partial<Record<UsageDimensionName, string | number>>>,
): readonly UsageFilterInput[] {
  return (Object.keys(usageDimensions) as UsageDimensionName[]).flatMap((field) => {
    const value = query[field];
    return value === undefined ? [] : [{ field, operator: 'eq', value }];
  });
}

type Format = 'json' | 'csv' | 'ndjson';

function formatOf(accept = ''): Format {
  if (/\btext\/csv\b/i.test(accept)) return 'csv';
  return /\bapplication\/(?:x-)?ndjson\b/i.test(accept) ? 'ndjson' : 'json';
}

/** The columns of a table: presetd's details without a prefix, and lists as text. */
function flatten({
  presetd,
  provider_responses: _,
  ...generation
}: Generation): Readonly<Record<string, unknown>> {
  const { price, fallbacks, feedback, ...details } = presetd;
  const categories = feedback.map(({ category }) => category).join(' ');
  return { ...generation, ...details, ...price, fallbacks: fallbacks.join(' '), feedback: categories };
}

/** OpenRouter has no name for models and providers that are not known. */
const unknown = '';

function generationToWire(call: StoredCall): Generation {
  const { group, tokens, cost } = call;
  const dollars = cost.nanos === null ? null : toDollars(cost.nanos);
  return {
    id: formatGenerationId(call.id),
    request_id: null,
    created_at: new Date(arrivalOf(call.id)).toISOString(),
    model: group.model ?? call.requestedModel ?? call.respondingModel ?? unknown,
    preset_id: group.presetId,
    workspace_id: group.workspaceId,
    session_id: call.sessionId,
    external_user: call.endUser,
    upstream_id: call.upstreamId,
    provider_name: group.upstream,
    api_type: apiTypes[group.dialect] ?? 'completions',
    streamed: call.isStreamed,
    cancelled: group.status === clientClosedRequest,
    finish_reason: call.finishReason === null ? null : normalizeFinishReason(call.finishReason),
    native_finish_reason: call.finishReason,
    latency: call.firstTokenMs,
    generation_time: call.totalMs,
    moderation_latency: null,
    tokens_prompt: tokens.input,
    tokens_completion: tokens.output,
    native_tokens_prompt: tokens.input,
    native_tokens_completion: tokens.output,
    native_tokens_reasoning: tokens.reasoning,
    native_tokens_cached: tokens.cached,
    native_tokens_completion_images: null,
    num_fetches: null,
    num_input_audio_prompt: null,
    num_media_completion: null,
    num_media_prompt: null,
    num_search_results: null,
    total_cost: dollars ?? 0,
    usage: dollars ?? 0,
    upstream_inference_cost: null,
    cache_discount: null,
    is_byok: false,
    origin: call.referer ?? '',
    http_referer: call.referer,
    user_agent: null,
    app_id: null,
    router: null,
    service_tier: null,
    web_search_engine: null,
    data_region: 'global',
    response_cache_source_id: null,
    provider_responses: null,
    presetd: detailsToWire(
      {
        ...call,
        ...group,
        workspace: call.workspaceSlug,
        preset: call.currentSlug,
        presetVersion: group.version,
        costSource: cost.source,
        tokensCacheWrite: tokens.cacheWrite,
      },
      { cost: dollars, price: cost.price && priceToWire(cost.price) },
    ),
  };
}

const detailsToWire = toWireBy({ schema: GenerationDetails });

/** OpenRouter's names of the endpoints that are not for text. */
const apiTypes: Readonly<Record<string, string>> = {
  embeddings: 'embeddings',
  rerank: 'rerank',
  images: 'image',
  'images/generations': 'image',
  'images/edits': 'image',
  'images/variations': 'image',
  'audio/speech': 'tts',
  'audio/transcriptions': 'stt',
  'audio/translations': 'stt',
};

function priceToWire(price: Price): NonNullable<Generation['presetd']['price']> {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion, cacheWritePerMillion, request } = price;
  return {
    ...(inputPerMillion !== undefined && { input_per_million: inputPerMillion }),
    ...(outputPerMillion !== undefined && { output_per_million: outputPerMillion }),
    ...(cachedInputPerMillion !== undefined && { cached_input_per_million: cachedInputPerMillion }),
    ...(cacheWritePerMillion !== undefined && { cache_write_per_million: cacheWritePerMillion }),
    ...(request !== undefined && { request }),
  };
}
