import type { JsonObject } from '../../core/json/json-object.ts';
import type { Stop, StopReason } from '../model/completion.ts';
import { describeFailure, type Failure } from '../model/stop.ts';

/** Parses why a choice of a completion or a chunk ended. Drops unknown reasons. */
export function parseStop(
  { finish_reason: reason, stop_reason: sequence }: JsonObject,
  drop: (path: string) => void,
): Stop {
  if (typeof reason !== 'string') return { reason: 'end' };
  const known = reasons.get(reason.toLowerCase());
  if (known === undefined) drop('choices.*.finish_reason');
  return {
    reason: known ?? 'end',
    // Only vLLM tells which stop sequence it was.
    ...(typeof sequence === 'string' && sequence !== '' && { sequence }),
    original: reason,
  };
}

/** Servers that are compatible with OpenAI have more words than it. */
const reasons: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'refusal'],
  // Together AI and Text Generation Inference.
  ['eos', 'end'],
  ['eos_token', 'end'],
  ['stop_sequence', 'end'],
  // Mistral's word for the end of the context.
  ['model_length', 'length'],
  // Gemini.
  ['max_tokens', 'length'],
  ['safety', 'refusal'],
  ['recitation', 'refusal'],
  // Zhipu.
  ['sensitive', 'refusal'],
]);

/** Why a choice failed, although it has a finish reason; undefined if it did not. */
export function findFailure({ finish_reason: reason }: JsonObject): Failure | undefined {
  if (typeof reason !== 'string' || !failures.test(reason)) return undefined;
  return describeFailure('finish reason', reason, reason === lackOfResources ? 503 : undefined);
}

/** DeepSeek's word. */
const lackOfResources = 'insufficient_system_resource';

/** The words of OpenRouter, Mistral, vLLM, SGLang, DeepSeek, Zhipu; Gemini's may have a prefix. */
const failures = new RegExp(
  `^(?:error|abort|${lackOfResources}|network_error)$|malformed_function_call`,
  'i',
);

/** Writes the fields of a choice. The stop sequence and a pause cannot be expressed. */
export function writeStop({ reason }: Stop): JsonObject {
  return { finish_reason: finishReasons[reason] };
}

const finishReasons: Readonly<Record<StopReason, string>> = {
  end: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  refusal: 'content_filter',
  pause: 'stop',
};
