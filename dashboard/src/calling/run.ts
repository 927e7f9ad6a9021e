import type { Api } from '../api/api.ts';
import { ApiError, errorOf } from '../api/api-error.ts';
import { type Answer, emptyAnswer, withEvent } from './answer.ts';
import { type EffectiveRequest, type PlaygroundRequest, prepareRequest } from './playground-request.ts';
import { readEvents } from './read-events.ts';

/** One message on its way to a model and back. */
export interface Run {
  readonly phase: 'preparing' | 'prepared' | 'waiting' | 'answering' | 'done' | 'stopped' | 'failed';
  /** What was asked for; the choices on the page may be others by now. */
  readonly request: PlaygroundRequest;
  /** Whether it went to a model, and is not only shown. */
  readonly isSent: boolean;
  readonly effective?: EffectiveRequest;
  readonly answer: Answer;
  /** Which version answered, and through which upstream. */
  readonly preset?: string;
  readonly upstream?: string;
  readonly firstMs?: number;
  readonly totalMs?: number;
  readonly error?: unknown;
}

export function firstRun(request: PlaygroundRequest): Run {
  return { phase: 'preparing', request, isSent: false, answer: emptyAnswer };
}

/** More than any model says; what goes on beyond it is a mistake. */
const answerBytesMax = 8 * 1_024 * 1_024;

export interface RunOptions {
  readonly api: Api;
  readonly request: PlaygroundRequest;
  /** Only find out what would be sent. */
  readonly isDry: boolean;
  readonly signal: AbortSignal;
  readonly onChange: (run: Run) => void;
}

/** Sends one message and tells of everything that happens to it. */
export async function runRequest({ api, request, isDry, signal, onChange }: RunOptions): Promise<void> {
  let run = firstRun(request);
  const change = (changed: Partial<Run>) => {
    run = { ...run, ...changed };
    onChange(run);
  };
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  try {
    const { path, body, effective } = await prepareRequest(api, request, signal);
    if (isDry) return change({ phase: 'prepared', effective });
    change({ phase: 'waiting', isSent: true, effective });
    const response = await api.open({ method: 'POST', path, body, signal });
    if (!response.ok) throw errorOf(response.status, await response.text());
    const { preset, upstream } = originOf(response.headers);
    change({ ...(preset && { preset }), ...(upstream && { upstream }) });
    for await (const answer of answersOf(response))
      change({ phase: 'answering', answer, firstMs: run.firstMs ?? elapsed() });
    change({ phase: run.answer.error === undefined ? 'done' : 'failed', totalMs: elapsed() });
  } catch (error) {
    change({
      phase: signal.aborted ? 'stopped' : 'failed',
      totalMs: elapsed(),
      ...(!signal.aborted && { error }),
    });
  }
}

function originOf(headers: Headers) {
  return { preset: headers.get('x-presetd-preset'), upstream: headers.get('x-presetd-upstream') };
}

/** The answer as it grows. One that breaks off without a word is an error. */
async function* answersOf(response: Response): AsyncGenerator<Answer> {
  if (response.body === null || !/^text\/event-stream\b/.test(response.headers.get('content-type') ?? ''))
    throw new ApiError(response.status, 'The upstream did not answer with a stream.');
  let answer = emptyAnswer;
  const events = readEvents(response.body, answerBytesMax);
  for (;;) {
    const { done, value } = await nextOf(events);
    if (done && value === 'too long') throw new ApiError(0, 'Stopped: the answer is longer than 8 MB.');
    if (done) break;
    answer = withEvent(answer, value);
    yield answer;
  }
  if (!answer.isComplete && answer.finishReason === undefined)
    throw new ApiError(0, 'The answer ended before it was complete.');
}

async function nextOf(events: ReturnType<typeof readEvents>) {
  try {
    return await events.next();
  } catch (cause) {
    throw new ApiError(0, `The connection broke off in the middle of the answer. ${String(cause)}`);
  }
}
