import type { JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects, parseJsonObject } from '../../core/json/loose-json.ts';
import { dataLines } from '../../dialects/model/server-sent-events.ts';
import { charactersPerToken, estimateTokens } from '../tokens/estimate-tokens.ts';
import type { ObservedExchange, StreamSample } from './observed-exchange.ts';

interface EstimatedTokens {
  readonly input?: number;
  readonly output?: number;
}

/** About as many as large models write. */
const tokensPerSecond = 50;

/**
 * Estimates what an upstream has not reported: of a response that was cut off, or of a server that
 * reports no usage. Of a stream, the text that was sent counts; otherwise, the time that the
 * upstream had.
 */
export function estimateMissingTokens(exchange: ObservedExchange, hasOutput: boolean): EstimatedTokens {
  const { usage, sentBody, isComplete } = exchange;
  const input =
    usage?.input === undefined && sentBody !== undefined ? estimateTokens(String(sentBody)) : undefined;
  const isOutputKnown = isComplete && usage?.output !== undefined;
  const output =
    hasOutput && !isOutputKnown ? Math.max(usage?.output ?? 0, estimateOutput(exchange)) : undefined;
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

function estimateOutput({ streamed, bodyCharacters, timings, sentBody }: ObservedExchange): number {
  if (streamed !== undefined && streamed.bytes > 0) return estimateStreamed(streamed);
  if (bodyCharacters > 0) return Math.ceil(bodyCharacters / charactersPerToken);
  const limit = tokenLimitOf(asObject(parseJsonObject(String(sentBody ?? ''))));
  const seconds = (timings.endedAt - timings.startedAt) / 1_000;
  return Math.min(Math.ceil(seconds * tokensPerSecond), limit);
}

function tokenLimitOf(body: Readonly<Record<string, unknown>>): number {
  const limits = [body.max_tokens, body.max_completion_tokens, body.max_output_tokens];
  return Math.min(...limits.filter((limit) => typeof limit === 'number'), Number.MAX_SAFE_INTEGER);
}

/** From the share that text has of the start of the stream. */
function estimateStreamed({ start, bytes }: StreamSample): number {
  const events = dataLines(start).map((data) => asObject(parseJsonObject(data)));
  const characters = events.flatMap(deltasOf).reduce<number>((sum, delta) => sum + charactersIn(delta), 0);
  return Math.ceil(((characters / start.length) * bytes) / charactersPerToken);
}

/** Chat completions has one for each choice, and plain completions the text itself. */
function deltasOf({ delta, choices }: JsonObject): readonly unknown[] {
  return choices === undefined ? [delta] : asObjects(choices).map(({ delta, text }) => delta ?? text);
}

/** A delta is text, or has the text in some field. */
function charactersIn(delta: unknown): number {
  if (typeof delta === 'string') return delta.length;
  if (typeof delta !== 'object' || delta === null) return 0;
  return Object.entries(delta)
    .filter(([name]) => !fieldsWithoutText.has(name))
    .reduce((sum, [, value]) => sum + charactersIn(value), 0);
}

/** `reasoning_details` repeats `reasoning`. */
const fieldsWithoutText = new Set(['type', 'role', 'id', 'name', 'signature', 'reasoning_details']);
