/**
 * One run of the playground: a message on its way to a model and back.
 *
 * A run is first prepared with a dry run, which yields the effective request; a preview ends there.
 * Otherwise it waits for the upstream, streams the response, and ends as done, stopped by the user,
 * or failed. `runRequest` reports each step as a new immutable `Run`.
 */

import type { Api } from '../api/api.ts';
import { ApiError, parseApiError } from '../api/api-error.ts';
import { applyEvent, emptyResponse, type ModelResponse } from './model-response.ts';
import { type EffectiveRequest, type PlaygroundRequest, prepareRequest } from './playground-request.ts';
import { readSse } from './sse.ts';

export interface Run {
  readonly phase: 'preparing' | 'prepared' | 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  /** The selection when the run started; it may have changed on the page since. */
  readonly request: PlaygroundRequest;
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

export function newRun(request: PlaygroundRequest): Run {
  return { phase: 'preparing', request, isSent: false, response: emptyResponse };
}

/** Far more than any model returns; a longer stream is a runaway upstream. */
const responseBytesMax = 8 * 1_024 * 1_024;

export interface RunOptions {
  readonly api: Api;
  readonly request: PlaygroundRequest;
  /** Stop after the dry run. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly onChange: (run: Run) => void;
}

/** Runs a request to its end. Never throws: failures are part of the reported run. */
export async function runRequest({ api, request, isDryRun, signal, onChange }: RunOptions): Promise<void> {
  let run = newRun(request);
  const change = (changed: Partial<Run>) => {
    run = { ...run, ...changed };
    onChange(run);
  };
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  try {
    const { path, body, effective } = await prepareRequest(api, request, signal);
    if (isDryRun) return change({ phase: 'prepared', effective });
    change({ phase: 'waiting', isSent: true, effective });
    const reply = await api.open({ method: 'POST', path, body, signal });
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
