import type { GenerationContent } from '../../../../src/api/generation-content.ts';
import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';
import { attachmentsOf, textOf, toolCallsOf } from '../runs/message.ts';

/** A message of a logged call, as people read it. */
export interface MessageText {
  /** The role of the message, or what else it is. */
  readonly speaker: string;
  readonly text: string;
}

/** The texts that the model got. Names images and files, and tool calls with their arguments. */
export function messageTexts(input: GenerationContent['input']): readonly MessageText[] {
  if ('prompt' in input) return [{ speaker: 'prompt', text: input.prompt }];
  return input.messages.filter(isJsonObject).map((message) => ({
    speaker: String(message.role),
    text: partsOf(message).join('\n') || '(empty)',
  }));
}

function partsOf(message: JsonObject): readonly string[] {
  const text = textOf(message);
  return [
    ...(text === '' ? [] : [text]),
    ...attachmentsOf(message).map((name) => `[${name}]`),
    ...toolCallsOf(message).map(({ name, argumentText }) => `${name}(${argumentText})`),
  ];
}
