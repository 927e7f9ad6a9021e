/** The headers of responses to calls: the upstream's, filtered, and presetd's own. */

import type { IncomingHttpHeaders } from 'node:http';
import { headerNames } from '../../core/header-names.ts';
import { formatGenerationId } from '../../core/ledger/call-record.ts';
import type { PolicyField } from '../../dialects/presets/merge-preset.ts';
import { type CallTrace, describePreset, type HeaderList } from '../call.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { containsSecret } from './redaction.ts';

/**
 * The upstream's response headers that clients get. This is an allow list for two reasons: browsers
 * act on headers in the name of presetd's origin, including headers that do not exist yet, and
 * upstreams describe the operator's account in theirs.
 */
const returned: ReadonlySet<string> = new Set([
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'ratelimit',
  'request-id',
  'cf-ray',
  'apim-request-id',
  'x-ms-request-id',
  'x-amzn-requestid',
  'x-amzn-request-id',
  'cf-aig-log-id',
  'openai-model',
  'openai-version',
  'openai-processing-ms',
  'x-model',
  'x-model-id',
  'x-provider',
  'x-inference-time',
  'x-processing-time',
  'x-queue-time',
  'x-total-time',
  'x-envoy-upstream-service-time',
]);

const returnedPrefixes = /^(?:x-ratelimit-|ratelimit-|anthropic-(?:ratelimit|priority|fast)-|x-openrouter-)/;

/** Presetd has headers of its own with these names. */
const renamed: Readonly<Record<string, string>> = {
  'x-request-id': 'x-upstream-request-id',
  'x-generation-id': 'x-upstream-generation-id',
};

/** Alternating names and values. Drops headers that repeat a secret of the upstream. */
export function returnedHeaders(headers: IncomingHttpHeaders, upstream: Upstream): (string | string[])[] {
  const hopByHop = parseConnectionHeader(headers.connection);
  const list: (string | string[])[] = [];
  for (const name in headers) {
    const value = headers[name];
    const newName = renamed[name];
    if (value === undefined || !(newName || returned.has(name) || returnedPrefixes.test(name))) continue;
    if (hopByHop.includes(name) || containsSecret(`${name}: ${value}`, upstream)) continue;
    list.push(newName ?? name, value);
  }
  return list;
}

/** The upstream's content type, reduced to the bare type if it repeats a secret or occurs twice. */
export function returnedType({ 'content-type': type }: IncomingHttpHeaders, upstream: Upstream): string {
  if (typeof type === 'string' && !containsSecret(type, upstream)) return type;
  return /^text\/event-stream\b/i.test(String(type)) ? 'text/event-stream' : 'application/json';
}

const none: readonly string[] = [];

/** The names of the hop-by-hop headers that `Connection` lists. They must not be forwarded. */
function parseConnectionHeader(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return none;
  return String(connection)
    .toLowerCase()
    .split(/[\s,]+/);
}

/**
 * The `x-presetd-*` response headers, which say what presetd did with a call. Headers without a
 * value are left out. Error responses carry them too.
 */
export function presetdHeaders(trace: CallTrace, overheadMs: number): HeaderList {
  const { upstream, overriddenFields, policyFields, droppedFields, fallbacks, failure } = trace;
  const headers = [headerNames.overheadMs, overheadMs.toFixed(3)];
  // Dry runs are not recorded.
  if (!trace.isDryRun) headers.push(headerNames.generationId, formatGenerationId(trace.id));
  const preset = describePreset(trace);
  if (preset !== undefined) headers.push(headerNames.preset, preset);
  if (upstream !== undefined) headers.push(headerNames.upstream, upstream);
  // The policy comes first: the list is cut if the request redefines many tools.
  const overridden = fieldNamesHeader([...policyFields, ...overriddenFields]);
  if (overridden !== undefined) headers.push(headerNames.overriddenFields, overridden);
  const dropped = fieldNamesHeader(droppedFields);
  if (dropped !== undefined) headers.push(headerNames.droppedFields, dropped);
  if (trace.outputLimit !== undefined) headers.push(headerNames.outputLimit, String(trace.outputLimit));
  if (fallbacks.length > 0) headers.push(headerNames.fallbacks, fallbacks.join(', '));
  if (failure !== undefined) headers.push(headerNames.failure, failure);
  return headers;
}

/**
 * Lists field names in a header; undefined if there are none. Clients choose the names, which may
 * be any JSON string: they are percent-encoded, and names beyond the limit are only counted ("and 3
 * more"). Fields that a policy changed are followed by the side that won: `model;preset`.
 */
export function fieldNamesHeader(fields: readonly (string | PolicyField)[]): string | undefined {
  if (fields.length === 0) return undefined;
  const names: string[] = [];
  let bytes = 0;
  for (const field of fields) {
    const name = typeof field === 'string' ? encodeName(field) : `${encodeName(field.name)};${field.winner}`;
    bytes += name.length + 2;
    if (bytes > headerBytesMax) break;
    names.push(name);
  }
  const omitted = fields.length - names.length;
  return [...names, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join(', ');
}

/**
 * Encoding never shortens a name, so more than the limit need not be encoded. The cut may split a
 * surrogate pair, which `encodeURIComponent` would throw on.
 */
function encodeName(name: string): string {
  return encodeURIComponent(name.slice(0, headerBytesMax).toWellFormed());
}

/** Proxies commonly limit all response headers together to 8 KB. */
const headerBytesMax = 1_024;
