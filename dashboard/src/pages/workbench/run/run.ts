/**
 * One run: a call on its way to a model and back.
 *
 * It waits for the upstream, streams the response, and ends as done, stopped by the user, or
 * failed. `runRequest` reports each step as a new immutable `Run`, and after the end the cost, once
 * that is known. `previewRequest` only asks what presetd would send.
 */

import { type HttpRequest, httpRequestOf } from '../../../../../src/api/client.ts';
import { headerNames } from '../../../../../src/core/header-names.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { dialectOf } from '../../../../../src/dialects/dialects.ts';
import type { Api } from '../../../api/api.ts';
import { ApiError, isStatus, parseApiError } from '../../../api/api-error.ts';
import { dialectPaths } from '../../../api/dialects.ts';
import type { JsonObject } from '../../../features/version-content/config-values.ts';
import { readCost } from './call-cost.ts';
import { applyEvent, emptyResponse, type ModelResponse } from './model-response.ts';
import { readSse } from './sse.ts';

export interface Run<Request extends CallRequest = CallRequest> {
  readonly phase: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  /** The selection when the run started; it may have changed on the page since. */
  readonly request: Request;
  readonly response: ModelResponse;
  /** The version that was applied, such as `support-bot@3`, and the upstream that responded. */
  readonly preset?: string;
  readonly upstream?: string;
  /** The id of its record in the log of calls. */
  readonly callId?: string;
  /** The record, which has the cost, has not been read. */
  readonly isCostPending?: boolean;
  /** Why no upstream responded, in a word such as `no-key`. */
  readonly failure?: string;
  readonly firstTokenMs?: number;
  readonly totalMs?: number;
  readonly error?: unknown;
}

export function newRun<Request extends CallRequest>(request: Request): Run<Request> {
  return { phase: 'waiting', request, response: emptyResponse };
}

/** False for a run that failed before its first token: then only the error is shown. */
export function hasResponse({ error, response }: Pick<Run, 'error' | 'response'>): boolean {
  return error === undefined || response.text !== '' || response.toolCalls.length > 0;
}

export function hasEnded({ phase }: Pick<Run, 'phase'>): boolean {
  return phase === 'done' || phase === 'failed' || phase === 'stopped';
}

/** Far more than any model returns; a longer stream is a runaway upstream. */
const responseBytesMax = 8 * 1_024 * 1_024;

interface RunOptions<Request extends CallRequest> {
  readonly api: Api;
  readonly request: Request;
  readonly signal: AbortSignal;
  readonly onChange: (run: Run<Request>) => void;
}

/**
 * Runs a request to its end. Never throws: failures are part of the reported run. `onChange` may be
 * called once more afterwards, with the cost.
 */
export async function runRequest<Request extends CallRequest>(options: RunOptions<Request>): Promise<void> {
  const { api, request, signal, onChange } = options;
  let run = newRun(request);
  const change = (changed: Partial<Run<Request>>) => {
    run = { ...run, ...changed };
    onChange(run);
  };
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  let hasFallbacks = false;
  try {
    const reply = await api.open(httpRequestFor(request), { signal });
    const { preset, upstream, callId, failure } = outcomeOf(reply.headers);
    change({
      ...(preset && { preset }),
      ...(upstream && { upstream }),
      ...(callId && { callId, isCostPending: true }),
      ...(failure && { failure }),
    });
    hasFallbacks = reply.headers.has(headerNames.fallbacks);
    if (!reply.ok)
      throw await withIssues(api, request, parseApiError(reply.status, await reply.text()), signal);
    for await (const response of readResponse(reply))
      change({ phase: 'streaming', response, firstTokenMs: run.firstTokenMs ?? elapsed() });
    // The upstream does not know what others charged before it.
    const response = hasFallbacks ? withCost(run.response, undefined) : run.response;
    change({ phase: response.error === undefined ? 'done' : 'failed', response, totalMs: elapsed() });
  } catch (error) {
    const totalMs = elapsed();
    if (isStatus(error, 0)) await new Promise((resolve) => setTimeout(resolve, leavingMs));
    change({ phase: signal.aborted ? 'stopped' : 'failed', totalMs, ...(!signal.aborted && { error }) });
  }
  void completeCost(api, run, change);
}

/** Reads the cost of a run that has ended, unless the upstream reported one. Never throws. */
export async function completeCost(
  api: Api,
  { callId, isCostPending, response, error }: Omit<Run, 'request'>,
  onChange: (changed: Pick<Run, 'response' | 'isCostPending'>) => void,
): Promise<void> {
  if (callId === undefined || !isCostPending || response.usage?.cost !== undefined) return;
  if (!hasResponse({ error, response })) return;
  const cost = await readCost(api, callId);
  onChange({ response: cost === undefined ? response : withCost(response, cost), isCostPending: false });
}

function withCost(response: ModelResponse, cost: number | undefined): ModelResponse {
  const { cost: _, ...usage } = response.usage ?? {};
  return { ...response, usage: cost === undefined ? usage : { ...usage, cost } };
}

/**
 * When the user leaves the page, the browser ends its calls just before the page is notified. That
 * is not a lost connection: wait until the page would be gone.
 */
const leavingMs = 100;

/** Reads presetd's response headers of a call. */
function outcomeOf(headers: Headers) {
  return {
    preset: headers.get(headerNames.preset),
    upstream: headers.get(headerNames.upstream),
    callId: headers.get(headerNames.generationId),
    failure: headers.get(headerNames.failure),
  };
}

/** Yields the response after every event. Throws if the stream ends before the response does. */
async function* readResponse(reply: Response): AsyncGenerator<ModelResponse> {
  if (reply.body === null || !/^text\/event-stream\b/.test(reply.headers.get('content-type') ?? ''))
    throw new ApiError(reply.status, 'The upstream did not return a stream.');
  let response = emptyResponse;
  const events = readSse(reply.body, responseBytesMax);
  for (;;) {
    const { done, value } = await nextEvent(events);
    if (done && value === 'too long') throw new ApiError(0, 'Stopped: the response exceeds 8 MB.');
    if (done) break;
    response = applyEvent(response, value);
    yield response;
  }
  if (!response.isComplete && response.finishReason === undefined)
    throw new ApiError(0, 'The stream ended before the response was complete.');
}

/** Gives a dropped connection a message of its own; other errors are already API errors. */
async function nextEvent(events: ReturnType<typeof readSse>) {
  try {
    return await events.next();
  } catch {
    throw new ApiError(0, 'The connection was lost during the response.');
  }
}

/** A call to send, in one of the dialects. */
export interface CallRequest {
  readonly dialect: Dialect;
  readonly body: JsonObject;
  /** The same call as chat completions. */
  readonly chatBody: JsonObject;
  /** Undefined for a key, which belongs to a workspace. */
  readonly workspaceId: string | undefined;
}

function httpRequestFor({ dialect, body, workspaceId }: CallRequest): HttpRequest {
  return httpRequestOf(`POST ${dialectPaths[dialect]}`, { body, query: { workspace_id: workspaceId } });
}

/**
 * Anthropic's error format does not list the issues of a request, so a call that failed is tried in
 * another one, without calling the model. Returns the error that says more.
 */
async function withIssues(
  api: Api,
  request: CallRequest,
  error: ApiError,
  signal: AbortSignal,
): Promise<ApiError> {
  if (hasErrorsOfChat(request.dialect) || error.status !== 400) return error;
  const chat = { ...request, dialect: 'chat-completions', body: request.chatBody } as const;
  try {
    await previewRequest(api, chat, signal);
    return error;
  } catch (other) {
    return other instanceof ApiError && other.issues.length > 0 ? other : error;
  }
}

function hasErrorsOfChat(dialect: Dialect): boolean {
  return dialectOf[dialect].errors.schemaName === dialectOf['chat-completions'].errors.schemaName;
}

/** The request that presetd would send upstream, as returned by a dry run. */
export interface EffectiveRequest {
  /** The applied version, such as `support-bot@3`. */
  readonly preset: string | null;
  readonly upstream: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly overridden_fields: readonly string[];
  readonly policy_fields: readonly { readonly name: string; readonly winner: 'preset' | 'both' }[];
  readonly dropped_fields: readonly string[];
  /** The variables that the request did not pass. */
  readonly default_variables: readonly string[];
  readonly fallbacks: readonly {
    readonly upstream: string;
    readonly url: string;
    readonly model: string | null;
  }[];
  readonly body: Readonly<Record<string, unknown>>;
}

/** Asks what presetd would send, without calling the model. Throws if the call would fail. */
export async function previewRequest(
  api: Api,
  { dialect, body, workspaceId }: CallRequest,
  signal: AbortSignal,
): Promise<EffectiveRequest> {
  const { content } = await api.call(
    `POST ${dialectPaths[dialect]}`,
    { body, query: { workspace_id: workspaceId }, headers: { [headerNames.dryRun]: 'true' } },
    { signal },
  );
  // The contract leaves the responses of inference endpoints open: most are an upstream's.
  return (content as { readonly data: EffectiveRequest }).data;
}
