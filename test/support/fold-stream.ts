import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { isJsonObject, type JsonObject, omitNullish } from '../../src/core/json/json-object.ts';
import { asObject } from '../../src/core/json/loose-json.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { dataLines } from '../../src/dialects/model/server-sent-events.ts';

/** The events of a stream, without the marker at its end. */
export function eventsOf(stream: string): readonly JsonObject[] {
  return dataLines(stream)
    .filter((line) => line !== '[DONE]')
    .map((line) => JSON.parse(line));
}

/** The losses that the last event with a list of them reports; empty if there is none. */
export function namedLosses(stream: string): unknown {
  return lastNote(stream).dropped_fields ?? [];
}

/** What presetd says about a stream in its last event that says anything. */
export function lastNote(stream: string): JsonObject {
  const notes = eventsOf(stream).map((event) => event.presetd ?? asObject(event.response).presetd);
  return asObject(notes.findLast((note) => note !== undefined));
}

/** Puts a stream together to the body of a whole response, the way the official SDKs do it. */
export async function foldStream(dialect: Dialect, stream: string): Promise<JsonObject> {
  const events = eventsOf(stream);
  const body = withoutParsed(await fold[dialect](events));
  return JSON.parse(JSON.stringify(body));
}

const fold: Readonly<Record<Dialect, (events: readonly JsonObject[]) => Promise<object>>> = {
  'chat-completions': async (events) => {
    const completion = await ChatCompletionStream.fromReadableStream(linesOf(events)).finalChatCompletion();
    const [choice] = completion.choices;
    const message = { ...choice?.message, ...foldReasoning(events) };
    // The SDK leaves it out if it is null.
    return { system_fingerprint: null, ...completion, choices: [{ ...choice, message }] };
  },
  messages: async (events) => {
    const message = await MessageStream.fromReadableStream(linesOf(events)).finalMessage();
    // The SDK takes only the fields that Anthropic has here.
    const usage = omitNullish(asObject(events.findLast(({ type }) => type === 'message_delta')?.usage));
    return { ...message, usage: { ...message.usage, ...usage } };
  },
  responses: (events) => ResponseStream.fromReadableStream(linesOf(events)).finalResponse(),
};

function linesOf(events: readonly JsonObject[]): ReadableStream {
  return new Blob([events.map((event) => `${JSON.stringify(event)}\n`).join('')]).stream();
}

/** Folds OpenRouter's fields, which OpenAI's SDK does not know, by index, as its own SDK does. */
function foldReasoning(events: readonly JsonObject[]): JsonObject {
  const folded: Record<string, unknown> = {};
  const details: Record<string, unknown>[] = [];
  for (const { choices } of events)
    for (const { delta } of (choices ?? []) as readonly { readonly delta: JsonObject }[]) {
      for (const name of ['reasoning', 'reasoning_content'])
        if (typeof delta[name] === 'string') folded[name] = ((folded[name] as string) ?? '') + delta[name];
      if (Array.isArray(delta.annotations))
        folded.annotations = [...((folded.annotations as unknown[]) ?? []), ...delta.annotations];
      for (const detail of (delta.reasoning_details ?? []) as readonly JsonObject[])
        addDetail(details, detail);
    }
  return { ...folded, ...(details.length > 0 && { reasoning_details: details }) };
}

function addDetail(details: Record<string, unknown>[], piece: JsonObject): void {
  const detail = details.find(({ index, type }) => index === piece.index && type === piece.type);
  if (detail === undefined) details.push({ ...piece });
  else
    for (const [name, value] of Object.entries(piece)) {
      const isText = name === 'text' || name === 'summary';
      detail[name] = isText && typeof detail[name] === 'string' ? `${detail[name]}${value}` : value;
    }
}

/** Removes what the SDKs add to a response, and the names of losses. */
function withoutParsed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutParsed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !added.has(name))
      .map(([name, field]) => [name, withoutParsed(field)]),
  );
}

const added = new Set([
  'presetd',
  'parsed',
  'parsed_output',
  'output_parsed',
  'parsed_arguments',
  'output_text',
]);
