import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { CompletionContext, ResponseFacts } from '../model/completion.ts';
import { writeNote } from '../model/note.ts';
import { agreeWithCalls } from '../model/stop.ts';
import { isToolCall } from '../model/turns.ts';
import { withDeclaredCalls } from './declared-calls.ts';

interface TranslatedResponse {
  readonly body: JsonObject;
  /** The parts that the client does not get, as sorted paths in the upstream's dialect. */
  readonly dropped: readonly string[];
  readonly facts: ResponseFacts;
}

/**
 * Translates the body of a successful response. Accepts any object. What was lost, or is missing,
 * is also named in the field `presetd` of the body.
 */
export function translateResponse(
  body: JsonObject,
  from: Dialect,
  to: Dialect,
  context: CompletionContext,
): TranslatedResponse {
  const parsed = dialectOf[from].completion.parse(body);
  const content = withDeclaredCalls(parsed.completion.content, context);
  const written = dialectOf[to].completion.write({ ...parsed.completion, content }, context);
  const dropped = [...new Set([...parsed.dropped, ...written.dropped])].toSorted();
  const { id, model, stop } = parsed.completion;
  return {
    body: { ...written.body, ...writeNote(dropped, written.missing) },
    dropped,
    facts: { id, model, finishReason: agreeWithCalls(stop, content.some(isToolCall)).reason },
  };
}
