import type { JsonObject } from '../../core/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { CompletionContext } from '../model/completion.ts';
import { writeNote } from '../model/note.ts';
import { withDeclaredCalls } from './declared-calls.ts';

export interface TranslatedResponse {
  readonly body: JsonObject;
  /** The parts that the client does not get, as sorted paths in the upstream's dialect. */
  readonly dropped: readonly string[];
}

/**
 * Translates the body of a successful response. Accepts any object. What was lost, or is missing, is
 * also named in the field `presetd` of the body.
 */
export function translateResponse(
  body: JsonObject,
  from: Dialect,
  to: Dialect,
  context: CompletionContext,
): TranslatedResponse {
  if (from === to) return { body, dropped: [] };
  const parsed = dialectOf[from].completion.parse(body);
  const content = withDeclaredCalls(parsed.completion.content, context);
  const written = dialectOf[to].completion.write({ ...parsed.completion, content }, context);
  const dropped = [...new Set([...parsed.dropped, ...written.dropped])].toSorted();
  return { body: { ...written.body, ...writeNote(dropped, written.missing) }, dropped };
}
