import { isJsonObject, type JsonObject } from '../../dialects/json-object.ts';
import { joinSystemPrompt } from '../../dialects/system-prompt.ts';
import { CommandError } from '../command-error.ts';

export interface OpenAiPromptRequest {
  /** The body of a capture in the responses dialect. */
  readonly request: JsonObject;
  /** What is imported differently than the author may expect; each continues the prompt's id. */
  readonly warnings: readonly string[];
  /** Where the file has what the request has elsewhere. */
  readonly sources: RequestSources;
}

export interface RequestSources {
  /** The paths of the texts in `instructions`. */
  readonly instructions: readonly string[];
  /** The path of each item of `presetd.messages`. */
  readonly messages: readonly string[];
}

/**
 * Turns the fields that a prompt shares with a responses request into a capture. Developer and
 * system messages become the instructions, user and assistant messages are sent with every call, as
 * OpenAI does. `place` names the prompt in error messages.
 */
export function toCaptureRequest(
  { input, instructions, ...config }: JsonObject,
  listedVariables: unknown,
  place: string,
): OpenAiPromptRequest {
  const items = itemsOf(input);
  const systemItems = items.filter(({ role }) => role === 'system' || role === 'developer');
  const turns = items
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map((turn) => ({ ...turn, ...replaceMediaVariables(turn, place) }));
  const system = joinSystemPrompt([instructions, ...systemItems.map(({ content }) => content)]);
  const messages = turns.map(({ role, content }) => ({ role, content }));
  const texts = [system, ...turns.flatMap(({ content }) => textsOf(content)), ...toolDescriptions(config)];
  const skipped = items.filter(({ type }) => type !== undefined).map(({ type }) => type);
  const media = turns.flatMap((turn) => turn.media);
  const literal = findTags(config, '').slice(0, literalTagsMax);
  return {
    request: {
      ...config,
      ...(system !== null && { instructions: system }),
      presetd: {
        variables: declareVariables(texts.filter(isText), listedVariables),
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

/** Replaces the paths in a message of the server by those in the file. */
export function citeFile(message: string, { instructions, messages }: RequestSources): string {
  return message
    .replaceAll('/presetd/variables', '/variables')
    .replaceAll(/(?<=^|\s)\/instructions\b/g, instructions.join(', ') || '/instructions')
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
  /** What an item that cannot be imported is called. */
  readonly type?: string;
}

/** Where the file has a user message that is plain text. */
const textInputPath = '/input';

function itemsOf(input: unknown): readonly Item[] {
  if (isText(input)) return [{ path: textInputPath, role: 'user', content: input }];
  return listOrEmpty(input).map((item, index) => {
    const path = `/input/${index}`;
    if (!isJsonObject(item)) return { path, type: String(item) };
    const { type = 'message', role, content } = item;
    if (type !== 'message') return { path, type: String(type) };
    return roles.includes(role) ? { path, role, content } : { path, type: `message of ${role}` };
  });
}

const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant'];

/**
 * A variable for an image or file is a text that is nothing but the variable, so a part whose source
 * is a variable becomes such a text.
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
  return isJsonObject(part) && (part.type === 'input_image' || part.type === 'input_file');
}

function textsOf(content: unknown): readonly unknown[] {
  return typeof content === 'string'
    ? [content]
    : listOrEmpty(content).map((part) => isJsonObject(part) && part.text);
}

function toolDescriptions({ tools }: JsonObject): readonly unknown[] {
  return listOrEmpty(tools).map((tool) => isJsonObject(tool) && tool.description);
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

/** The strings with a variable inside a value, except descriptions of tools, which are templates. */
function findTags(value: unknown, path: string): readonly FoundTag[] {
  if (isText(value)) {
    const [tag] = new RegExp(plainTag).exec(value) ?? [];
    return tag === undefined || /^\/tools\/\d+\/description$/.test(path) ? [] : [{ path, text: value, tag }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findTags(item, `${path}/${key}`));
}

/**
 * Declares the variables that the texts use, and those that the file lists. The file may have a
 * JSON Schema for a variable, or an example value; OpenAI's variables are text.
 */
function declareVariables(texts: readonly string[], listed: unknown): JsonObject {
  const used = texts.flatMap((text) =>
    [...text.matchAll(new RegExp(plainTag, 'g'))].map(([, name = '']) => name),
  );
  const given = isJsonObject(listed)
    ? listed
    : Object.fromEntries(listOrEmpty(listed).map((name) => [name, null]));
  return Object.fromEntries(
    [...new Set([...Object.keys(given), ...used])].map((name) => {
      const declaration = Object.hasOwn(given, name) ? given[name] : undefined;
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
