import type { Dialect } from '../../core/presets/preset.ts';
import * as chatCompletions from '../chat-completions/completion.ts';
import type { JsonObject } from '../json-object.ts';
import * as messages from '../messages/completion.ts';
import * as responses from '../responses/completion.ts';
import type { CompletionContext, ParsedCompletion, WrittenCompletion } from './completion.ts';
import { writeNote } from './note.ts';

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
  const parsed = formats[from].parseCompletion(body);
  const written = formats[to].writeCompletion(parsed.completion, context);
  const dropped = [...new Set([...parsed.dropped, ...written.dropped])].toSorted();
  return { body: { ...written.body, ...writeNote(dropped, written.missing) }, dropped };
}

interface CompletionFormat {
  readonly parseCompletion: (body: JsonObject) => ParsedCompletion;
  readonly writeCompletion: (
    completion: ParsedCompletion['completion'],
    context: CompletionContext,
  ) => WrittenCompletion;
}

const formats: Readonly<Record<Dialect, CompletionFormat>> = {
  'chat-completions': chatCompletions,
  messages,
  responses,
};
