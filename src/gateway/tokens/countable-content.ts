import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { imageTokens } from './estimate-tokens.ts';

/** The part of a request that a model reads, in any dialect. */
interface CountableContent {
  readonly text: string;
  /** The tokens of everything that is not text. */
  readonly tokens: number;
}

/** For a page of 80 kB, the 2,500 tokens that Anthropic gives for one with much text. */
const fileBytesPerToken = 32;

/** A file that is only referred to. */
const referredFileTokens = 3_000;

/** Tokens that separate messages and tools, and name the author of a message. */
const entryTokens = 4;

/** The fields that become part of the prompt. All others are settings. */
const promptFields = [
  'system',
  'instructions',
  'messages',
  'input',
  'tools',
  'functions',
  'response_format',
  'text',
  'output_config',
  'output_format',
];

export function findCountableContent(body: JsonObject): CountableContent {
  const content = { texts: [] as string[], tokens: 0 };
  for (const name of promptFields) {
    const value = body[name];
    if (Array.isArray(value)) content.tokens += entryTokens * value.length;
    addContent(value, content);
  }
  return { text: content.texts.join('\n'), tokens: content.tokens };
}

interface Content {
  readonly texts: string[];
  tokens: number;
}

function addContent(value: unknown, content: Content): void {
  if (typeof value === 'string') addText(value, content);
  else if (Array.isArray(value)) for (const item of value) addContent(item, content);
  else if (isJsonObject(value)) addObject(value, content);
}

/** Files in text are data URLs, whose length says nothing about tokens. */
function addText(text: string, content: Content): void {
  const [, type] = /^data:([^,;]*)[^,]*;base64,/.exec(text.slice(0, 256)) ?? [];
  if (type === undefined) content.texts.push(text);
  else content.tokens += type.startsWith('image/') ? imageTokens : tokensOfFile(text);
}

function addObject(object: JsonObject, content: Content): void {
  if (imageTypes.has(object.type)) content.tokens += imageTokens;
  else if (fileTypes.has(object.type)) addFile(object, content);
  else
    for (const [name, value] of Object.entries(object)) {
      if (json.has(name) && isJsonObject(value)) content.texts.push(JSON.stringify(value));
      else if (!unread.has(name)) addContent(value, content);
    }
}

const imageTypes: ReadonlySet<unknown> = new Set(['image', 'image_url', 'input_image']);
const fileTypes: ReadonlySet<unknown> = new Set(['document', 'file', 'input_file', 'input_audio']);

/** Arguments and schemas, which models read as JSON. */
const json: ReadonlySet<string> = new Set(['input', 'parameters', 'input_schema', 'schema']);

/** Ids, discriminators, and what providers decrypt for themselves. */
const unread: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'tool_use_id',
  'tool_call_id',
  'status',
  'cache_control',
  'signature',
  'encrypted_content',
  'data',
  'reasoning_details',
]);

function addFile(block: JsonObject, content: Content): void {
  const { source, file, input_audio: audio } = block;
  const holder = [source, file, audio].find(isJsonObject) ?? block;
  const { type, data, content: nested, file_data: inline } = holder;
  if (type === 'text' || type === 'content') addContent(data ?? nested, content);
  else {
    const bytes = data ?? inline;
    content.tokens += typeof bytes === 'string' ? tokensOfFile(bytes) : referredFileTokens;
  }
}

function tokensOfFile(base64: string): number {
  return Math.ceil((base64.length * 3) / 4 / fileBytesPerToken);
}
