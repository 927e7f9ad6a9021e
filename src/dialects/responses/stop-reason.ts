import { isJsonObject, type JsonObject } from '../json-object.ts';
import type { Stop, StopReason } from '../translate/completion.ts';

/** Parses why a response ended. This dialect does not say that the model called tools. */
export function parseStop({ status, incomplete_details: details }: JsonObject): Stop {
  if (status !== 'incomplete') return { reason: 'end' };
  const why = isJsonObject(details) ? details.reason : undefined;
  return {
    reason: why === 'content_filter' ? 'refusal' : 'length',
    ...(typeof why === 'string' && { original: why }),
  };
}

/** Writes the fields of a response. Stop sequences and pauses cannot be expressed. */
export function writeStop({ reason }: Stop): JsonObject {
  const why = incompleteReasons[reason];
  return why === undefined
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason: why } };
}

const incompleteReasons: Readonly<Partial<Record<StopReason, string>>> = {
  length: 'max_output_tokens',
  refusal: 'content_filter',
};
