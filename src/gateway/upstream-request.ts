import { dialectOf } from '../dialects/dialects.ts';
import { isJsonObject, type JsonObject } from '../dialects/json-object.ts';
import { adaptToUpstream } from './adapt-to-upstream.ts';
import { authHeader, defaultAnthropicVersion } from './auth-header.ts';
import type { Call } from './call.ts';
import { forwardedHeaders } from './request-headers.ts';
import type { Candidate } from './router.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** What is sent to an upstream whatever the request. */
export interface UpstreamRequestBase {
  /** What stands before the path of a dialect. */
  readonly basePath: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly headerNames: ReadonlySet<string>;
}

/** A request as it goes to an upstream. */
export interface UpstreamRequest {
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | Buffer;
}

export interface AdaptedRequest extends UpstreamRequest {
  readonly droppedFields: readonly string[];
}

/** A request as this candidate takes it; the very bytes that came where nothing had to be changed. */
export function buildUpstreamRequest(
  call: Call,
  intended: JsonObject,
  candidate: Candidate,
  isForOne: boolean,
  { basePath, headers, headerNames }: UpstreamRequestBase,
): AdaptedRequest {
  const { dialect } = call;
  const { kind } = candidate.upstream;
  const { body, droppedFields } = adaptToUpstream(withModels(intended, candidate, isForOne), dialect, kind);
  return {
    path: basePath + dialectOf[dialect].path + call.query,
    headers: [
      ...headers,
      ...forwardedHeaders(kind, call.headers, headerNames),
      ...(needsVersion(call, candidate.upstream, headerNames) ? defaultVersion : none),
      'accept',
      body.stream === true ? 'text/event-stream' : 'application/json',
    ],
    body: body === call.body ? call.bytes : JSON.stringify(body),
    droppedFields,
  };
}

/** The secret is sent as it is given, which need not be the real one. */
export function createRequestBase(
  upstream: Upstream,
  secret: string | undefined,
  userAgent: string,
): UpstreamRequestBase {
  const { pathname } = new URL(upstream.baseUrl);
  const headers = {
    'user-agent': userAgent,
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    ...upstream.headers,
    ...(secret !== undefined && authHeader(upstream.kind, secret)),
  };
  return {
    basePath: pathname === '/' ? '' : pathname,
    headers: Object.entries(headers).flat(),
    headerNames: new Set(Object.keys(headers)),
  };
}

const none: readonly string[] = [];
const defaultVersion = Object.entries(defaultAnthropicVersion).flat();

/** Whoever speaks as Anthropic does demands it, and not every client says it. */
function needsVersion(
  { dialect, headers }: Call,
  { kind }: Upstream,
  configured: ReadonlySet<string>,
): boolean {
  if (dialect !== 'messages' || kind === 'openrouter') return false;
  return headers['anthropic-version'] === undefined && !configured.has('anthropic-version');
}

/** Names the model as the upstream does, and the ones to fall back on where it goes through them itself. */
function withModels(body: JsonObject, candidate: Candidate, isForOne: boolean): JsonObject {
  const { upstream, model, fallbacks } = candidate;
  const isItsOwn = upstream.kind === 'openrouter';
  if (isItsOwn && isForOne && upstream.stripPrefix === '') return body;
  const name = model === undefined ? undefined : stripped(upstream, model);
  const renamed = name === undefined || name === body.model ? body : { ...body, model: name };
  const stripping = withStrippedFallbacks(renamed, upstream);
  if (!Array.isArray(body.models)) return stripping;
  const { models: _, ...others } = stripping;
  if (!isItsOwn || fallbacks.length === 0) return others;
  return { ...others, models: fallbacks.map((fallback) => stripped(upstream, fallback)) };
}

/** Anthropic's own list to fall back on, which it goes through itself. */
function withStrippedFallbacks(body: JsonObject, upstream: Upstream): JsonObject {
  if (upstream.stripPrefix === '' || !Array.isArray(body.fallbacks)) return body;
  const fallbacks = body.fallbacks.map((entry: unknown) =>
    isJsonObject(entry) && typeof entry.model === 'string'
      ? { ...entry, model: stripped(upstream, entry.model) }
      : entry,
  );
  return { ...body, fallbacks };
}

function stripped({ stripPrefix }: Upstream, model: string): string {
  return stripPrefix !== '' && model.startsWith(stripPrefix) ? model.slice(stripPrefix.length) : model;
}
