/**
 * The messages of a conversation, in the form of chat completions, whatever the dialect of the
 * draft: test cases are shared by all versions of a preset, and those may change the dialect.
 */

import { bodyMebibytesDefault } from '../../../../src/api/limits.ts';
import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';

/** A message of the user, the assistant or a tool. */
export type Message = JsonObject;

export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly argumentText: string;
}

/** The tool calls of a message that are still to be answered. */
export function toolCallsOf(message: Message | undefined): readonly PendingCall[] {
  const calls = Array.isArray(message?.tool_calls) ? message.tool_calls.filter(isJsonObject) : [];
  return calls.map(({ id, function: called }) => ({
    id: String(id),
    name: isJsonObject(called) ? String(called.name) : '',
    argumentText: isJsonObject(called) ? String(called.arguments) : '',
  }));
}

/** The result that a tool had earlier in the conversation; undefined if it was not called. */
export function cannedResult(messages: readonly Message[], name: string): string | undefined {
  const ids = new Set(
    messages.flatMap((message) =>
      toolCallsOf(message)
        .filter((call) => call.name === name)
        .map(({ id }) => id),
    ),
  );
  const result = messages.findLast(({ role, tool_call_id: id }) => role === 'tool' && ids.has(String(id)));
  return typeof result?.content === 'string' ? result.content : undefined;
}

/** The text of a message; parts that are not text are left out. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}

/** The message with another text; images and files stay. */
export function withText(message: Message, text: string): Message {
  if (!Array.isArray(message.content)) return { ...message, content: text };
  const others = message.content.filter((part) => !isJsonObject(part) || part.type !== 'text');
  return { ...message, content: [...(text === '' ? [] : [{ type: 'text', text }]), ...others] };
}

export interface Attachment {
  readonly name: string;
  /** A data URL. */
  readonly url: string;
}

/** Why files cannot be attached to those that are; undefined if they can. */
export function attachmentsProblem(
  attachments: readonly Attachment[],
  files: readonly { readonly size: number }[],
): string | undefined {
  const existing = attachments.reduce((sum, { url }) => sum + url.length, 0);
  // Base64 has four characters for three bytes.
  const added = files.reduce((sum, { size }) => sum + (size / 3) * 4, 0);
  // The API does not report another limit of the operator: the server then rejects the run.
  if (existing + added < bodyMebibytesDefault * 1_024 * 1_024) return undefined;
  return `Too large. Requests are limited to ${bodyMebibytesDefault} MB, and attachments grow by a third`;
}

/** A message of the user with images and files. */
export function userMessage(text: string, attachments: readonly Attachment[]): Message {
  if (attachments.length === 0) return { role: 'user', content: text };
  const parts = attachments.map(({ name, url }) =>
    url.startsWith('data:image/')
      ? { type: 'image_url', image_url: { url } }
      : { type: 'file', file: { filename: name, file_data: url } },
  );
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] };
}

/** Names of the images and files in a message. */
export function attachmentsOf({ content }: Message): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isJsonObject).flatMap((part) => {
    if (part.type === 'image_url') return ['Image'];
    return part.type === 'file' && isJsonObject(part.file) ? [String(part.file.filename ?? 'File')] : [];
  });
}
