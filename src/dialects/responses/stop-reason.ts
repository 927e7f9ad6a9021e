import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Stop, StopReason } from '../model/completion.ts';
import { findFirstText } from '../model/find-value.ts';
import { describeFailure, type Failure } from '../model/stop.ts';

/**
 * Parses why a response ended. This dialect does not say that the model called tools. Drops a
 * reason that is not known.
 */
export function parseStop(
  { status, incomplete_details: details }: JsonObject,
  drop: (path: string) => void,
): Stop {
  if (status !== 'incomplete') {
    if (typeof status === 'string' && status !== 'completed') drop('status');
    return { reason: 'end' };
  }
  const why = isJsonObject(details) ? details.reason : undefined;
  if (typeof why !== 'string') return { reason: 'length' };
  if (!Object.values(incompleteReasons).includes(why)) drop('incomplete_details.reason');
  return { reason: why === incompleteReasons.refusal ? 'refusal' : 'length', original: why };
}

/** Why a response failed, although it was returned; undefined if it did not. */
export function findFailure({ status }: JsonObject): Failure | undefined {
  return failures.has(status) ? describeFailure('status', String(status)) : undefined;
}

/** The last two are not a result yet. Only a response in the background has them. */
const failures: ReadonlySet<unknown> = new Set(['failed', 'cancelled', 'queued', 'in_progress']);

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

/** The status of a response. A stream names it in the type of its last event. */
export function findFinishReason(json: string): string | undefined {
  const ending = /"response\.(completed|incomplete|failed|cancelled)"/.exec(json)?.[1];
  return ending ?? (json.startsWith('{') ? findFirstText(json, 'status') : undefined);
}
