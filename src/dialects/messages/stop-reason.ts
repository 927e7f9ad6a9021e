import type { JsonObject } from '../../core/json/json-object.ts';
import type { Stop, StopReason } from '../model/completion.ts';

/** Parses why a message ended. Drops a reason that is not known. */
export function parseStop(
  { stop_reason: reason, stop_sequence: sequence }: JsonObject,
  drop?: (path: string) => void,
): Stop {
  if (typeof reason !== 'string') return { reason: 'end' };
  const known = reasons.get(reason);
  if (known === undefined) drop?.('stop_reason');
  return {
    reason: known ?? 'end',
    ...(typeof sequence === 'string' && { sequence }),
    original: reason,
  };
}

const reasons: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
]);

/** Writes the fields of a message, or of the `delta` of its last event. */
export function writeStop({ reason, sequence }: Stop): JsonObject {
  return reason === 'end' && sequence !== undefined
    ? { stop_reason: 'stop_sequence', stop_sequence: sequence }
    : { stop_reason: stopReasons[reason], stop_sequence: null };
}

const stopReasons: Readonly<Record<StopReason, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  refusal: 'refusal',
  pause: 'pause_turn',
};
