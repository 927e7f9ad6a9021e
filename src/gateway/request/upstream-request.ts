import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { accessibleWorkspace } from '../../core/organization/workspace-access.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import type { ToolNames } from '../../dialects/model/completion.ts';
import { mayBeSealed } from '../../dialects/model/sealed-reasoning.ts';
import { removeSealedReasoning } from '../../dialects/translate/remove-sealed-reasoning.ts';
import type { Call, RelayedRequest } from '../call.ts';
import type { AppliedCall } from '../plan/resolve-and-apply-preset.ts';
import type { Candidate } from '../plan/router.ts';
import { scopeIds } from '../stored-ids/stored-references.ts';
import { endpointProperties } from '../upstreams/endpoint.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';
import { adaptToUpstream } from './adapt-to-upstream.ts';
import { type FormBody, formType, setFormModel } from './form-body.ts';
import { authHeader, forwardedHeaders } from './request-headers.ts';
import { askForStreamUsage } from './stream-usage.ts';

/** The parts that all requests to an upstream share, computed once per connection. */
export interface UpstreamRequestBase {
  /** The path of the base URL, which the path of the dialect is appended to. */
  readonly basePath: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly headerNames: ReadonlySet<string>;
}

/** A request as it is sent to an upstream. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: string[];
  /** Null if there is none. */
  readonly body: string | Buffer | null;
}

export interface AdaptedRequest extends UpstreamRequest {
  /** The body, if it is JSON. */
  readonly json?: JsonObject;
  /** The body, if it is a form. */
  readonly form?: FormBody;
  /** The parts of the request and of the preset that were lost on the way. */
  readonly droppedFields: readonly string[];
  /** Whether presetd asks for the usage of the stream, and not the client. */
  readonly asksForUsage?: boolean;
  /** The names of tools that were replaced in translation. */
  readonly toolNames?: ToolNames;
}

/**
 * Builds the request for one candidate: its model name, only fields and headers that it supports.
 * If nothing had to change, the body is the client's own bytes. `isOnlyCandidate` says that presetd
 * tries no other model, so that an upstream with fallbacks of its own may get the request's list
 * unchanged. A relayed call is not adapted, except for its model.
 */
export function buildUpstreamRequest(
  call: Call,
  applied: AppliedCall,
  candidate: Candidate,
  isOnlyCandidate: boolean,
  base: UpstreamRequestBase,
): AdaptedRequest {
  if (call.relayed !== undefined) return buildRelayedRequest(call, call.relayed, applied, candidate, base);
  const { basePath, headers, headerNames } = base;
  const { upstream, dialect } = candidate;
  const { kind } = upstream;
  const translated = dialect === call.dialect ? undefined : applied.translate(dialect);
  const source =
    translated === undefined
      ? withoutSeals(applied.at?.(upstream) ?? applied, call)
      : withoutForeignIds(translated, call, candidate);
  const named = setModels(source.body, candidate, isOnlyCandidate);
  const { body: adapted, droppedFields } = adaptToUpstream(named, dialect, kind);
  const asking = translated === undefined ? askForStreamUsage(adapted, candidate) : undefined;
  const body = asking ?? adapted;
  return {
    method: 'POST',
    path: basePath + pathAt(candidate, call),
    headers: [
      ...headers,
      ...forwardedHeaders(kind, call.headers, headerNames),
      ...missingHeaders(call, candidate, headerNames),
      'content-type',
      'application/json',
      'accept',
      body.stream === true ? 'text/event-stream' : 'application/json',
    ],
    body: body === call.body ? call.bytes : JSON.stringify(body),
    json: body,
    droppedFields: [...source.droppedFields, ...droppedFields],
    ...(translated !== undefined && { toolNames: translated.toolNames }),
    ...(asking !== undefined && { asksForUsage: true }),
  };
}

function buildRelayedRequest(
  call: Call,
  { method, contentType, form, endpoint }: RelayedRequest,
  applied: AppliedCall,
  candidate: Candidate,
  { basePath, headers, headerNames }: UpstreamRequestBase,
): AdaptedRequest {
  const { upstream, dialect, model } = candidate;
  const isOfDialect = endpoint !== undefined && endpointProperties[endpoint].presetFields !== undefined;
  const source = applied.at?.(upstream) ?? applied;
  const named = withModel(source.body, model === undefined ? undefined : stripPrefix(upstream, model));
  const adapted = isOfDialect ? adaptToUpstream(named, dialect, upstream.kind) : undefined;
  const { body } = adapted ?? { body: named };
  const sentForm = form && setFormModel(form, typeof body.model === 'string' ? body.model : undefined);
  const asking = endpoint === 'completions' ? askForStreamUsage(body, candidate) : undefined;
  const json = asking ?? body;
  const text = json === call.body ? call.bytes : JSON.stringify(json);
  return {
    method,
    path: basePath + pathAt(candidate, call),
    headers: [
      ...headers,
      ...forwardedHeaders(upstream.kind, call.headers, headerNames),
      ...missingHeaders(call, candidate, headerNames),
      ...(contentType === undefined ? none : ['content-type', form ? formType(form) : 'application/json']),
      'accept',
      call.headers.accept ?? '*/*',
    ],
    body: contentType === undefined ? null : (sentForm?.bytes ?? text),
    json,
    ...(sentForm !== undefined && { form: sentForm }),
    ...(asking !== undefined && { asksForUsage: true }),
    droppedFields: [...source.droppedFields, ...(adapted?.droppedFields ?? none)],
  };
}

/** The same body if nothing changes. presetd tries the fallbacks in `models` itself. */
function withModel(body: JsonObject, model: string | undefined): JsonObject {
  const { models, ...others } = body;
  const rest = models === undefined ? body : others;
  return model === undefined || model === body.model ? rest : { ...rest, model };
}

/** A body in the upstream's dialect that is not yet adapted to the upstream. */
type SourceBody = Pick<AppliedCall, 'body' | 'droppedFields'>;

/** The request of a client that has talked to an upstream of another dialect before. */
function withoutSeals(applied: SourceBody, { bytes, dialect }: Call): SourceBody {
  if (!mayBeSealed(bytes)) return applied;
  const { body, droppedFields } = removeSealedReasoning(applied.body, dialect);
  return { body, droppedFields: [...applied.droppedFields, ...droppedFields] };
}

/** Sealed reasoning has whatever id the client has put into it. */
function withoutForeignIds(
  translated: SourceBody,
  { caller }: Call,
  { upstream, dialect }: Candidate,
): SourceBody {
  if (dialect !== 'responses') return translated;
  const { workspaceId } = accessibleWorkspace(caller, undefined, 'call');
  const { storesResponses: isStoring } = kinds[upstream.kind];
  const scoped = scopeIds(translated.body, { upstream, isStoring, stored: new Map(), workspaceId });
  return { body: scoped.body, droppedFields: [...translated.droppedFields, ...scoped.droppedFields] };
}

/** The path below the base URL. Query parameters belong to the API of the call's dialect. */
export function pathAt({ dialect }: Candidate, call: Call): string {
  if (call.relayed !== undefined) return call.relayed.path + call.query;
  return dialectOf[dialect].request.path + (dialect === call.dialect ? call.query : '');
}

/** `secret` need not be the upstream's key: dry runs pass the name of its variable. */
export function createRequestBase(
  upstream: Upstream,
  secret: string | undefined,
  userAgent: string,
): UpstreamRequestBase {
  const { pathname } = new URL(upstream.baseUrl);
  const headers = {
    'user-agent': userAgent,
    'accept-encoding': 'identity',
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

/** The headers that the API requires and neither the client nor the operator has set. */
function missingHeaders(
  { headers }: Call,
  { upstream, dialect }: Candidate,
  configured: ReadonlySet<string>,
): readonly string[] {
  const { requiredHeaders } = dialectOf[dialect].request;
  if (requiredHeaders === undefined || upstream.kind === 'openrouter') return none;
  return Object.entries(requiredHeaders)
    .filter(([name]) => headers[name] === undefined && !configured.has(name))
    .flat();
}

/**
 * Sets the candidate's model, without the upstream's prefix. `models` goes to OpenRouter only,
 * reduced to the fallbacks of this candidate; for other upstreams presetd tries them itself.
 */
function setModels(body: JsonObject, candidate: Candidate, isOnlyCandidate: boolean): JsonObject {
  const { upstream, model, fallbacks } = candidate;
  const hasFallbacks = upstream.kind === 'openrouter';
  if (hasFallbacks && isOnlyCandidate && upstream.stripPrefix === '') return body;
  const name = model === undefined ? undefined : stripPrefix(upstream, model);
  const renamed = name === undefined || name === body.model ? body : { ...body, model: name };
  const stripped = stripFallbackPrefixes(renamed, upstream);
  if (!Array.isArray(body.models)) return stripped;
  const { models: _, ...others } = stripped;
  if (!hasFallbacks || fallbacks.length === 0) return others;
  return { ...others, models: fallbacks.map((fallback) => stripPrefix(upstream, fallback)) };
}

/** `fallbacks` is Anthropic's own list, which the upstream itself goes through. */
function stripFallbackPrefixes(body: JsonObject, upstream: Upstream): JsonObject {
  if (upstream.stripPrefix === '' || !Array.isArray(body.fallbacks)) return body;
  const fallbacks = body.fallbacks.map((entry: unknown) =>
    isJsonObject(entry) && typeof entry.model === 'string'
      ? { ...entry, model: stripPrefix(upstream, entry.model) }
      : entry,
  );
  return { ...body, fallbacks };
}

/** The name that the upstream knows a model by. */
export function stripPrefix({ stripPrefix: prefix }: Upstream, model: string): string {
  return prefix !== '' && model.startsWith(prefix) ? model.slice(prefix.length) : model;
}
