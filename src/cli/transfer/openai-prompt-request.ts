import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { joinSystemPrompt } from '../../dialects/model/system-prompt.ts';
import { mapDescriptions, toolFields } from '../../dialects/presets/extension/template-texts.ts';
import { CommandError } from '../command-error.ts';

export interface OpenAiPromptRequest {
  readonly dialect: 'responses' | 'chat-completions';
  /** The body of a capture in the dialect. */
  readonly request: JsonObject;
  /** Differences that the author may not expect; each continues the prompt's id. */
  readonly warnings: readonly string[];
  /** The paths in the file of parts that are elsewhere in the request. */
  readonly sources: RequestSources;
}

interface RequestSources {
  /** The paths of the texts in the system prompt. */
  readonly instructions: readonly string[];
  /** The path of each item of `presetd.messages`. */
  readonly messages: readonly string[];
}

/**
 * Turns the fields that a prompt shares with a request into a capture. Developer and system
 * messages become the system prompt, user and assistant messages are sent with every call, as
 * OpenAI does. The request is one of responses; with `messages` instead of `input`, it was copied
 * from code for chat completions. `place` names the prompt in error messages.
 */
export function toCaptureRequest(
  { input, messages: chatMessages, instructions, ...config }: JsonObject,
  listedVariables: unknown,
  place: string,
): OpenAiPromptRequest {
  const isChat = chatMessages !== undefined;
  if (isChat && input !== undefined)
    throw new CommandError(`${place}: has both "input" and "messages". Keep the one with the prompt.`);
  const items = isChat ? itemsOf(chatMessages, '/messages') : itemsOf(input, textInputPath);
  const systemItems = items.filter(({ role }) => role === 'system' || role === 'developer');
  const turns = items
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map((turn) => ({ ...turn, ...replaceMediaVariables(turn, place) }));
  const system = joinSystemPrompt([instructions, ...systemItems.map(({ content }) => content)]);
  const messages = turns.map(({ role, content }) => ({ role, content }));
  if (system === null && messages.length === 0)
    throw new CommandError(
      `${place}: has no text: neither "instructions" nor a message in "${isChat ? 'messages' : 'input'}". Copy the whole request from the code view.`,
    );
  const descriptions = toolDescriptions(config);
  const texts = [system, ...turns.flatMap(({ content }) => textsOf(content)), ...descriptions.values()];
  const skipped = items.filter(({ type }) => type !== undefined).map(({ type }) => type);
  const media = turns.flatMap((turn) => turn.media);
  const literal = findTags(config, '')
    .filter(({ path }) => !descriptions.has(path))
    .slice(0, literalTagsMax);
  return {
    dialect: isChat ? 'chat-completions' : 'responses',
    request: {
      ...config,
      ...(isChat ? { messages: chatMessagesOf(system) } : system !== null && { instructions: system }),
      presetd: {
        variables: declareVariables(texts.filter(isText), parseVariables(listedVariables, place)),
        ...(messages.length > 0 && { messages }),
      },
    },
    warnings: [
      ...(skipped.length > 0 ? [`has items that are not imported: ${[...new Set(skipped)].join(', ')}`] : []),
      ...media.map(
        (name) => `has an image or file in {{${name}}}: pass it as an input_image or input_file item`,
      ),
      ...literal.map(({ tag, path }) => `has ${tag} at ${path}, where it is sent as it is`),
    ],
    sources: {
      instructions: [
        ...(isText(instructions) ? ['/instructions'] : []),
        ...systemItems.map(({ path }) => path),
      ],
      messages: turns.map(({ path }) => path),
    },
  };
}

/** Replaces the paths in a message of the server with those in the file. */
export function citeFile(message: string, { instructions, messages }: RequestSources): string {
  return message
    .replaceAll('/presetd/variables', '/variables')
    .replaceAll(/(?<=^|\s)\/(instructions|messages)(?![\w/])/g, (path) => instructions.join(', ') || path)
    .replaceAll(/\/presetd\/messages\/(\d+)(\/content)?/g, (path, index: string, content = '') => {
      const source = messages[Number(index)] ?? path;
      return source === textInputPath ? source : source + content;
    });
}

interface Item {
  readonly path: string;
  /** Undefined for anything but a message of a known role. */
  readonly role?: unknown;
  readonly content?: unknown;
  /** The type of an item that cannot be imported. */
  readonly type?: string;
}

/** Where the file has a user message that is plain text. */
const textInputPath = '/input';

function itemsOf(input: unknown, inputPath: string): readonly Item[] {
  if (isText(input)) return [{ path: inputPath, role: 'user', content: input }];
  return listOrEmpty(input).map((item, index) => {
    const path = `${inputPath}/${index}`;
    if (!isJsonObject(item)) return { path, type: String(item) };
    const { type = 'message', role, content } = item;
    if (type !== 'message') return { path, type: String(type) };
    return roles.includes(role) ? { path, role, content } : { path, type: `message of ${role}` };
  });
}

const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant'];

/** Chat completions has the system prompt in its messages, and needs at least one. */
function chatMessagesOf(system: string | null): readonly JsonObject[] {
  return [system === null ? { role: 'user', content: '' } : { role: 'system', content: system }];
}

/**
 * A variable for an image or file is a text that is nothing but the variable, so a part whose
 * source is a variable becomes such a text.
 */
function replaceMediaVariables(
  { content, path }: Item,
  place: string,
): { readonly content: unknown; readonly media: readonly string[] } {
  const media: string[] = [];
  if (!Array.isArray(content)) return { content, media };
  const replaced = content.map((part, index) => {
    const [tagged, ...others] = isMedia(part) ? findTags(part, `${path}/content/${index}`) : [];
    if (tagged === undefined) return part;
    const [, name] = new RegExp(`^${plainTag}$`).exec(tagged.text) ?? [];
    if (name === undefined || others.length > 0)
      throw new CommandError(
        `${place}: ${tagged.path} has ${tagged.tag}, but variables work only in texts. Let {{…}} be the whole value, and pass an image or a file in calls.`,
      );
    media.push(name);
    return { type: 'input_text', text: tagged.text };
  });
  return { content: replaced, media };
}

function isMedia(part: unknown): part is JsonObject {
  return isJsonObject(part) && mediaTypes.includes(part.type);
}

/** The last two are those of chat completions. */
const mediaTypes: readonly unknown[] = ['input_image', 'input_file', 'image_url', 'file'];

function textsOf(content: unknown): readonly unknown[] {
  return typeof content === 'string'
    ? [content]
    : listOrEmpty(content).map((part) => isJsonObject(part) && (part.text ?? part.refusal));
}

/** The descriptions of tools, by their paths. Like the texts of messages, they are templates. */
function toolDescriptions(config: JsonObject): ReadonlyMap<string, string> {
  const descriptions = new Map<string, string>();
  const collect = (text: string, path: string) => {
    descriptions.set(path, text);
    return text;
  };
  for (const field of toolFields)
    for (const [index, tool] of listOrEmpty(config[field]).entries())
      mapDescriptions(tool, collect, `/${field}/${index}`);
  return descriptions;
}

/** OpenAI's own form, also with the braces and the sign that Mustache has for unescaped values. */
const plainTag = '\\{\\{\\{?\\s*&?\\s*([A-Za-z_][A-Za-z0-9_]{0,63})\\s*\\}?\\}\\}';

/** A longer list would hide the other warnings. */
const literalTagsMax = 5;

interface FoundTag {
  readonly path: string;
  readonly text: string;
  readonly tag: string;
}

/** The strings with a variable inside a value. */
function findTags(value: unknown, path: string): readonly FoundTag[] {
  if (isText(value)) {
    const [tag] = new RegExp(plainTag).exec(value) ?? [];
    return tag === undefined ? [] : [{ path, text: value, tag }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findTags(item, `${path}/${key}`));
}

/** The variables that the file lists by name, with a JSON Schema, an example value or null. */
function parseVariables(listed: unknown, place: string): JsonObject {
  if (isJsonObject(listed)) return listed;
  if (listed === undefined || listed === null) return {};
  if (Array.isArray(listed) && listed.every(isText))
    return Object.fromEntries(listed.map((name) => [name, null]));
  throw new CommandError(
    `${place}: "variables" must be a list of names, or an object with a JSON Schema or an example value for each name.`,
  );
}

/**
 * Declares the variables that the texts use, and those that the file lists. OpenAI's variables are
 * text, unless the file has a JSON Schema.
 */
function declareVariables(texts: readonly string[], listed: JsonObject): JsonObject {
  const used = texts.flatMap((text) =>
    [...text.matchAll(new RegExp(plainTag, 'g'))].map(([, name = '']) => name),
  );
  return Object.fromEntries(
    [...new Set([...Object.keys(listed), ...used])].map((name) => {
      const declaration = Object.hasOwn(listed, name) ? listed[name] : undefined;
      const isSchema = isJsonObject(declaration) && schemaTypes.includes(declaration.type);
      return [name, isSchema ? declaration : { type: 'string' }];
    }),
  );
}

const schemaTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

function listOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
