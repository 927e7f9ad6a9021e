import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { isSlug, slugRule } from '../../core/preset-slug.ts';
import { type Dialect, presetNameCharactersMax } from '../../core/presets/preset.ts';
import { nameProblem } from '../../core/text/name.ts';
import { nearestName } from '../../core/text/nearest-name.ts';
import { oneLine } from '../../core/text/printable.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { CommandError, combineErrors } from '../command-error.ts';
import { type OpenAiPromptRequest, toCaptureRequest } from './openai-prompt-request.ts';

/**
 * Turns OpenAI prompts into captures. OpenAI has no export, so a file contains what people copy
 * from the code view of a prompt, with its id: the fields of a responses request, plus `id`,
 * `version`, `name` and `variables`. Each version of a prompt is one such object. Code for chat
 * completions works as well.
 */
export interface OpenAiPrompt {
  /** Such as `pmpt_68a…`. Becomes an alias of the preset, unless it is the slug. */
  readonly id: string;
  readonly slug: string;
  /** The name to show; undefined if the file has none. */
  readonly name: string | undefined;
  /** From version 1 without gaps, so that calls with a version number keep working. */
  readonly versions: readonly OpenAiPromptVersion[];
}

export interface OpenAiPromptVersion extends OpenAiPromptRequest {
  readonly version: number;
  /** Whether the file lacks this version, so that it has the content of a later one. */
  readonly isFilled: boolean;
}

/** More would be a typing error rather than a prompt. */
const versionsMax = 1_000;

/** `fileName` begins a sentence in error messages. */
export function parseOpenAiPrompts(content: unknown, fileName: string): readonly OpenAiPrompt[] {
  const entries = mapAll(listOf(content), (entry, index) =>
    parseEntry(entry, `${fileName}, prompt ${index + 1}`),
  );
  if (entries.length === 0) throw new CommandError(`${fileName} contains no prompts.`);
  return mapAll([...Map.groupBy(entries, ({ id }) => id)], ([id, group]) => {
    const name = group.find((entry) => entry.name !== undefined)?.name;
    return { id, name, slug: name === undefined ? id : slugOf(name, id), versions: withoutGaps(id, group) };
  });
}

/** Throws the errors of all items together. */
function mapAll<Item, Result>(
  items: readonly Item[],
  parse: (item: Item, index: number) => Result,
): readonly Result[] {
  const errors: CommandError[] = [];
  const results = items.flatMap((item, index) => {
    try {
      return [parse(item, index)];
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      errors.push(error);
      return [];
    }
  });
  if (errors.length > 0) throw combineErrors(errors);
  return results;
}

/** One prompt, a list, or an object with a list, as a person would assemble them. */
function listOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return isJsonObject(content) && Array.isArray(content.prompts) ? content.prompts : [content];
}

interface Entry extends OpenAiPromptRequest {
  readonly id: string;
  readonly name: string | undefined;
  readonly version: number | undefined;
}

/** `place` names the entry in error messages. */
function parseEntry(entry: unknown, place: string): Entry {
  const fail = (problem: string) => new CommandError(oneLine(`${place}: ${problem}`));
  if (!isJsonObject(entry)) throw fail('must be a JSON object.');
  const { id, prompt_id, version, name, prompt, variables, ...fields } = entry;
  // The code view may also refer to the prompt as calls do.
  const reference = isJsonObject(prompt) ? prompt : {};
  const ids = [id, prompt_id, reference.id, reference.prompt_id].filter((value) => value !== undefined);
  if (ids.length === 0) throw fail('needs the "id" of the prompt, such as "pmpt_68a…".');
  const [given] = ids;
  if (typeof given !== 'string' || !isSlug(given)) throw fail(`the id ${JSON.stringify(given)} ${slugRule}.`);
  if (ids.some((other) => other !== given))
    throw fail(`has two ids, ${ids.map((value) => JSON.stringify(value)).join(' and ')}. Keep one.`);
  const nameIssue = name === undefined ? undefined : presetNameProblem(name);
  if (nameIssue !== undefined) throw fail(`"name" ${nameIssue}.`);
  if (typeof fields.model !== 'string')
    throw fail(
      'needs "model". Copy the whole request from the code view, not only the reference to the prompt.',
    );
  const request = toCaptureRequest(fields, variables ?? reference.variables, place);
  return {
    ...request,
    id: given,
    name: name as string | undefined,
    version: parseVersionNumber(version ?? reference.version, place),
    warnings: [...unknownFields(fields, request.dialect), ...request.warnings],
  };
}

function presetNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'must be text';
  return name.length > presetNameCharactersMax
    ? `must have at most ${presetNameCharactersMax} characters`
    : nameProblem(name);
}

function unknownFields(fields: JsonObject, dialect: Dialect): readonly string[] {
  const known = [...ownFields, ...Object.keys(dialectOf[dialect].request.fields)];
  return Object.keys(fields)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
      return `has a field that is not imported: ${oneLine(name)}${hint}`;
    });
}

/** The fields of an entry that are not those of a request. */
const ownFields = ['id', 'prompt_id', 'version', 'name', 'variables', 'instructions'];

function parseVersionNumber(version: unknown, place: string): number | undefined {
  if (version === undefined || version === null) return undefined;
  const number = Number(version);
  if (Number.isInteger(number) && number >= 1 && number <= versionsMax) return number;
  throw new CommandError(`${place}: "version" must be a whole number from 1 to ${versionsMax}.`);
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
    const { dialect, request, sources } = entry;
    versions.unshift({
      version,
      isFilled: own === undefined,
      dialect,
      request: withNote(request, note),
      sources,
      warnings: own?.warnings ?? [],
    });
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
