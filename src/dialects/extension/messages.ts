import type { Issue } from '../../core/errors.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { Type } from '../../core/type.ts';
import { audioPart, filePart, imagePart, refusalPart, textPart } from '../chat-completions/conversation.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { documentBlock, imageBlock, textBlock } from '../messages/conversation.ts';
import { inputFile, inputImage } from '../responses/conversation.ts';
import { closedUnion } from '../schema/combinators.ts';
import type { Role } from '../translate/content.ts';

/** The parts of all dialects in one schema. `checkMessages` says which of them a dialect has. */
const contentPart = closedUnion('type', [
  Type.Object({
    ...textPart.properties,
    ...textBlock.properties,
    type: Type.Enum(['text', 'input_text', 'output_text']),
  }),
  imagePart,
  imageBlock,
  inputImage,
  filePart,
  documentBlock,
  inputFile,
  audioPart,
  refusalPart,
]);

/**
 * The schema of `presetd.messages`: turns that every call of the preset sends after the system
 * prompt and before its own messages. The stored size of a version limits their length.
 */
export const presetMessages = Type.Array(
  Type.Object(
    {
      role: Type.Enum(['user', 'assistant']),
      content: Type.Union([Type.String({ minLength: 1 }), Type.Array(contentPart, { minItems: 1 })]),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100 },
);

/** A message that matches the schema. */
export interface PresetMessage {
  readonly role: Role;
  readonly content: string | readonly JsonObject[];
}

/**
 * Checks what the schema cannot: the parts that a dialect has in each role, and the order of roles.
 * Expects messages that match the schema. Paths start at the body of the request.
 *
 * Only presets of messages have to start with a user turn, because Anthropic requires it. Presets
 * of other dialects may start with a greeting, which calls of messages then drop.
 */
export function checkMessages(messages: readonly PresetMessage[], dialect: Dialect): readonly Issue[] {
  const issues = messages.flatMap(({ role, content }, index) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part, partIndex) =>
          checkPart(part, role, dialect, `/presetd/messages/${index}/content/${partIndex}`),
        ),
  );
  const startsWrong = dialect === 'messages' && messages[0]?.role === 'assistant';
  if (!startsWrong) return issues;
  const message = 'must be "user", because Anthropic requires a conversation to start with a user turn';
  return [{ path: '/presetd/messages/0/role', message }, ...issues];
}

function checkPart(part: JsonObject, role: Role, dialect: Dialect, path: string): readonly Issue[] {
  const types = partTypes[dialect][role];
  if (!types.includes(part.type)) {
    const list = types.map((type) => JSON.stringify(type)).join(', ');
    return [{ path: `${path}/type`, message: `must be one of ${list} in a turn of the ${role}` }];
  }
  if (part.text === '') return [{ path: `${path}/text`, message: 'must not be empty' }];
  return checkSource(part, path);
}

/** OpenAI's input items are accepted in every dialect, as in the variables of a prompt. */
const inputItems = ['input_text', 'input_image', 'input_file'];

/** No dialect accepts images, files or audio from the assistant. */
const partTypes: Readonly<Record<Dialect, Readonly<Record<Role, readonly unknown[]>>>> = {
  'chat-completions': {
    user: ['text', 'image_url', 'file', 'input_audio', ...inputItems],
    assistant: ['text', 'refusal', 'input_text'],
  },
  messages: {
    user: ['text', 'image', 'document', ...inputItems],
    assistant: ['text', 'input_text'],
  },
  responses: {
    user: [...inputItems, 'input_audio'],
    assistant: ['output_text', 'refusal', 'input_text'],
  },
};

/** OpenAI's images and files have one field for each kind of source. */
const sourceFields: Readonly<Record<string, readonly string[]>> = {
  file: ['file_data', 'file_id'],
  input_image: ['image_url', 'file_id'],
  input_file: ['file_data', 'file_id', 'file_url'],
};

function checkSource(part: JsonObject, path: string): readonly Issue[] {
  const fields = sourceFields[String(part.type)];
  if (fields === undefined) return [];
  const [sources, sourcesPath] =
    part.type === 'file' && isJsonObject(part.file) ? [part.file, `${path}/file`] : [part, path];
  const given = fields.filter((name) => sources[name] !== undefined && sources[name] !== null);
  if (given.length === 1) return [];
  return [{ path: sourcesPath, message: `must have exactly one of the fields ${fields.join(', ')}` }];
}
