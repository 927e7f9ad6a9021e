import type { JsonObject } from '../json-object.ts';
import type { Stop, StopReason } from '../translate/completion.ts';

/** Parses why a choice of a completion or a chunk ended. */
export function parseStop({ finish_reason: reason, stop_reason: sequence }: JsonObject): Stop {
  if (typeof reason !== 'string') return { reason: 'end' };
  return {
    reason: reasons.get(reason) ?? 'end',
    // Only vLLM tells which stop sequence it was.
    ...(typeof sequence === 'string' && sequence !== '' && { sequence }),
    original: reason,
  };
}

const reasons: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  // Mistral's word for the end of the context.
  ['model_length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'refusal'],
]);

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
