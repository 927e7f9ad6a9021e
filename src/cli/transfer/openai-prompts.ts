import { isSlug } from '../../core/presets/preset.ts';
import { oneLine } from '../../core/printable.ts';
import { isJsonObject, type JsonObject } from '../../dialects/json-object.ts';
import { joinSystemPrompt } from '../../dialects/system-prompt.ts';
import { CommandError } from '../command-error.ts';

/**
 * Turns OpenAI prompts into captures. OpenAI has no export, so a file contains what people copy
 * from the code view of a prompt, with its id: the fields of a responses request, plus `id`,
 * `version`, `name` and `variables`. Each version of a prompt is one such object.
 */
export interface OpenAiPrompt {
  /** Such as `pmpt_68a…`. Becomes an alias of the preset, unless it is the slug. */
  readonly id: string;
  readonly slug: string;
  /** From version 1 without gaps, so that calls with a version number keep working. */
  readonly versions: readonly OpenAiPromptVersion[];
}

export interface OpenAiPromptVersion {
  readonly version: number;
  /** The body of a capture in the responses dialect. */
  readonly request: JsonObject;
  /** Items of the prompt that a preset cannot hold, by type. */
  readonly skipped: readonly string[];
}

/** More would be a typing error rather than a prompt. */
const versionsMax = 1_000;

/** `fileName` begins a sentence in error messages. */
export function parseOpenAiPrompts(content: unknown, fileName: string): readonly OpenAiPrompt[] {
  const entries = listOf(content).map((entry, index) =>
    parseEntry(entry, `${fileName}, prompt ${index + 1}`),
  );
  if (entries.length === 0) throw new CommandError(`${fileName} contains no prompts.`);
  return [...Map.groupBy(entries, ({ id }) => id)].map(([id, group]) => {
    const name = group.find((entry) => entry.name !== undefined)?.name;
    return { id, slug: name === undefined ? id : slugOf(name, id), versions: withoutGaps(id, group) };
  });
}

/** One prompt, a list, or an object with a list, as a person would assemble them. */
function listOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return isJsonObject(content) && Array.isArray(content.prompts) ? content.prompts : [content];
}

interface Entry {
  readonly id: string;
  readonly name: string | undefined;
  readonly version: number | undefined;
  readonly request: JsonObject;
  readonly skipped: readonly string[];
}

/** `place` names the entry in error messages. */
function parseEntry(entry: unknown, place: string): Entry {
  if (!isJsonObject(entry)) throw new CommandError(`${place}: must be a JSON object.`);
  // The code view may also refer to the prompt as calls do.
  const reference = isJsonObject(entry.prompt) ? entry.prompt : {};
  const { id = reference.id ?? reference.prompt_id, version = reference.version, name } = entry;
  if (typeof id !== 'string' || !isSlug(id))
    throw new CommandError(`${place}: needs the "id" of the prompt, such as "pmpt_68a…".`);
  if (name !== undefined && typeof name !== 'string')
    throw new CommandError(`${place}: "name" must be text.`);
  if (typeof entry.model !== 'string')
    throw new CommandError(
      `${place}: needs "model". Copy the whole request from the code view, not only the reference to the prompt.`,
    );
  const variables = entry.variables ?? reference.variables;
  return { id, name, version: parseVersionNumber(version, place), ...toRequest(entry, variables) };
}

function parseVersionNumber(version: unknown, place: string): number | undefined {
  if (version === undefined || version === null) return undefined;
  const number = Number(version);
  if (Number.isInteger(number) && number >= 1 && number <= versionsMax) return number;
  throw new CommandError(`${place}: "version" must be a whole number from 1 to ${versionsMax}.`);
}

/**
 * Developer and system messages become the instructions, user and assistant messages are sent with
 * every call, as OpenAI does.
 */
function toRequest(entry: JsonObject, variables: unknown): Pick<Entry, 'request' | 'skipped'> {
  const {
    id: _id,
    version: _version,
    name: _name,
    prompt: _prompt,
    variables: _variables,
    ...fields
  } = entry;
  const { input, instructions, ...config } = fields;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOrEmpty(input);
  const isMessage = (item: unknown): item is JsonObject =>
    isJsonObject(item) && (item.type === undefined || item.type === 'message');
  const messages = items.filter(isMessage);
  const ofRoles = (...roles: readonly unknown[]) => messages.filter(({ role }) => roles.includes(role));
  const system = joinSystemPrompt([
    instructions,
    ...ofRoles('system', 'developer').map(({ content }) => content),
  ]);
  const turns = ofRoles('user', 'assistant').map(({ role, content }) => ({ role, content }));
  const isImported = (item: unknown) => isMessage(item) && roles.includes(item.role);
  const skipped = items
    .filter((item) => !isImported(item))
    .map((item) => (isMessage(item) ? `message of ${item.role}` : String(isJsonObject(item) && item.type)));
  return {
    request: {
      ...config,
      ...(system !== null && { instructions: system }),
      presetd: {
        variables: declareVariables([system, JSON.stringify(turns)].join('\n'), variables),
        ...(turns.length > 0 && { messages: turns }),
      },
    },
    skipped,
  };
}

const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant'];

function listOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Declares the variables that the texts use, and those that the file lists. The file may have a
 * JSON Schema for a variable, or an example value; OpenAI's variables are text.
 */
function declareVariables(text: string, listed: unknown): JsonObject {
  const used = [...text.matchAll(/\{\{\{?\s*&?\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g)].map(
    ([, name = '']) => name,
  );
  const given = isJsonObject(listed)
    ? listed
    : Object.fromEntries(listOrEmpty(listed).map((name) => [name, null]));
  return Object.fromEntries(
    [...new Set([...Object.keys(given), ...used])].map((name) => {
      const declaration = Object.hasOwn(given, name) ? given[name] : undefined;
      const isSchema = isJsonObject(declaration) && isSchemaType(declaration.type);
      return [name, isSchema ? declaration : { type: 'string' }];
    }),
  );
}

function isSchemaType(type: unknown): boolean {
  return ['string', 'number', 'integer', 'boolean', 'array', 'object'].includes(String(type));
}

/**
 * Numbers the versions as OpenAI does. A version that the file lacks is filled with the next one,
 * because presets are numbered without gaps; its note says so.
 */
function withoutGaps(id: string, entries: readonly Entry[]): readonly OpenAiPromptVersion[] {
  const numbers = entries.map(({ version }) => version ?? (entries.length === 1 ? 1 : undefined));
  if (numbers.includes(undefined) || new Set(numbers).size < numbers.length)
    throw new CommandError(
      `${oneLine(id)} appears ${entries.length} times: give each a "version" of its own.`,
    );
  const byNumber = new Map(entries.map((entry, index) => [Number(numbers[index]), entry]));
  const last = Math.max(...byNumber.keys());
  const versions: OpenAiPromptVersion[] = [];
  for (let version = last, entry = byNumber.get(last); version >= 1 && entry !== undefined; version -= 1) {
    const own = byNumber.get(version);
    entry = own ?? entry;
    const note =
      own === undefined
        ? `Not in the file; filled with a later version of ${id}.`
        : `Version ${version} of ${id} at OpenAI.`;
    versions.unshift({ version, request: withNote(entry.request, note), skipped: own?.skipped ?? [] });
  }
  return versions;
}

function withNote(request: JsonObject, note: string): JsonObject {
  return { ...request, presetd: { note, ...(request.presetd as JsonObject) } };
}

/** A readable slug for a name, such as `support-reply`; the id if nothing of it can be used. */
function slugOf(name: string, id: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 128);
  return slug === '' ? id : slug;
}
