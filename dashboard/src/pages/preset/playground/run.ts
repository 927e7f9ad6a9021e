/**
 * One run: a call on its way to a model and back.
 *
 * A run is first prepared with a dry run, which yields the effective request; a preview ends there.
 * Otherwise it waits for the upstream, streams the response, and ends as done, stopped by the user,
 * or failed. `runRequest` reports each step as a new immutable `Run`.
 */

import { type HttpRequest, httpRequestOf, type Input } from '../../../../../src/api/client.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import type { Api } from '../../../api/api.ts';
import { ApiError, isStatus, parseApiError } from '../../../api/api-error.ts';
import { dialectPaths } from '../../../api/dialects.ts';
import type { JsonObject } from '../config-values.ts';
import { applyEvent, emptyResponse, type ModelResponse } from './model-response.ts';
import { readSse } from './sse.ts';

export interface Run<Request extends CallRequest = CallRequest> {
  readonly phase: 'preparing' | 'prepared' | 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  /** The selection when the run started; it may have changed on the page since. */
  readonly request: Request;
  /** False for a preview. */
  readonly isSent: boolean;
  readonly effective?: EffectiveRequest;
  readonly response: ModelResponse;
  /** The version that was applied, such as `support-bot@3`, and the upstream that responded. */
  readonly preset?: string;
  readonly upstream?: string;
  readonly firstTokenMs?: number;
  readonly totalMs?: number;
  readonly error?: unknown;
}

export function newRun<Request extends CallRequest>(request: Request): Run<Request> {
  return { phase: 'preparing', request, isSent: false, response: emptyResponse };
}

/** Far more than any model returns; a longer stream is a runaway upstream. */
const responseBytesMax = 8 * 1_024 * 1_024;

interface RunOptions<Request extends CallRequest> {
  readonly api: Api;
  readonly request: Request;
  /** Stop after the dry run. */
  readonly isDryRun: boolean;
  /** Send the call at once where it needs no preparation, such as one of many. */
  readonly isDirect?: boolean;
  readonly signal: AbortSignal;
  readonly onChange: (run: Run<Request>) => void;
}

/** Runs a request to its end. Never throws: failures are part of the reported run. */
export async function runRequest<Request extends CallRequest>(options: RunOptions<Request>): Promise<void> {
  const { api, request, isDryRun, isDirect = false, signal, onChange } = options;
  let run = newRun(request);
  const change = (changed: Partial<Run<Request>>) => {
    run = { ...run, ...changed };
    onChange(run);
  };
  // Times are those of the call: an app does no dry run before it.
  let start = performance.now();
  const elapsed = () => performance.now() - start;
  try {
    const { httpRequest, ...prepared } =
      isDirect && request.dialect !== 'messages'
        ? { httpRequest: plainRequest(request) }
        : await prepareRequest(api, request, signal);
    if (isDryRun) return change({ phase: 'prepared', ...prepared });
    start = performance.now();
    change({ phase: 'waiting', isSent: true, ...prepared });
    const reply = await api.open(httpRequest, { signal });
    if (!reply.ok) throw parseApiError(reply.status, await reply.text());
    const { preset, upstream } = originOf(reply.headers);
    change({ ...(preset && { preset }), ...(upstream && { upstream }) });
    for await (const response of readResponse(reply))
      change({ phase: 'streaming', response, firstTokenMs: run.firstTokenMs ?? elapsed() });
    change({ phase: run.response.error === undefined ? 'done' : 'failed', totalMs: elapsed() });
  } catch (error) {
    change({
      phase: signal.aborted ? 'stopped' : 'failed',
      totalMs: elapsed(),
      ...(!signal.aborted && { error }),
    });
  }
}

/** presetd names the applied version and the upstream in response headers. */
function originOf(headers: Headers) {
  return { preset: headers.get('x-presetd-preset'), upstream: headers.get('x-presetd-upstream') };
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
  } catch (cause) {
    throw new ApiError(0, `The connection was lost during the response. ${String(cause)}`);
  }
}

/** A call to send, in one of the dialects. */
export interface CallRequest {
  readonly dialect: Dialect;
  readonly body: JsonObject;
  /**
   * The same call as chat completions. Anthropic's error format does not list the issues of a
   * request, so a call that fails is tried in this one.
   */
  readonly chatBody: JsonObject;
  /** Undefined for a key, which belongs to a workspace. */
  readonly workspaceId: string | undefined;
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

/** A request that has passed its dry run and can be sent. */
interface PreparedRequest {
  readonly httpRequest: HttpRequest;
  readonly effective: EffectiveRequest;
}

function plainRequest({ dialect, body, workspaceId }: CallRequest): HttpRequest {
  return httpRequestOf(`POST ${dialectPaths[dialect]}`, { body, query: { workspace_id: workspaceId } });
}

/** Builds the request and dry-runs it; the model is not called. */
async function prepareRequest(api: Api, request: CallRequest, signal: AbortSignal): Promise<PreparedRequest> {
  const route = `POST ${dialectPaths[request.dialect]}` as const;
  const { body } = request;
  const query = { workspace_id: request.workspaceId };
  const effective = await dryRun(api, route, { body, query }, signal).catch(async (error: unknown) => {
    if (request.dialect === 'messages' && isStatus(error, 400))
      await dryRun(api, 'POST /chat/completions', { body: request.chatBody, query }, signal);
    throw error;
  });
  // Anthropic Messages requires max_tokens. Add one only if the preset does not set it.
  if (request.dialect !== 'messages' || effective.body.max_tokens !== undefined)
    return { httpRequest: httpRequestOf(route, { body, query }), effective };
  const limited = { body: { ...body, max_tokens: tokensMax }, query };
  return {
    httpRequest: httpRequestOf(route, limited),
    effective: await dryRun(api, route, limited, signal),
  };
}

/** Enough for a reply in a playground. */
const tokensMax = 1_024;

type InferenceRoute = `POST ${(typeof dialectPaths)[Dialect]}`;

async function dryRun(
  api: Api,
  route: InferenceRoute,
  input: Pick<Input<InferenceRoute>, 'body' | 'query'>,
  signal: AbortSignal,
): Promise<EffectiveRequest> {
  const { content } = await api.call(
    route,
    { ...input, headers: { 'x-presetd-dry-run': 'true' } },
    { signal },
  );
  // The contract leaves the responses of inference endpoints open: most are an upstream's.
  return (content as { readonly data: EffectiveRequest }).data;
}
