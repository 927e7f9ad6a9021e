import { type Issue, PresetdError } from '../errors.ts';
import { copyFields, type JsonObject } from '../json/json-object.ts';
import { pointerSegment } from '../json/json-pointer.ts';
import { isSlug, slugRule } from '../preset-slug.ts';
import { invalidField } from '../request-issues.ts';

/** The preset, and optionally the version of it, that a request names. */
export interface PresetReference {
  readonly slug: string;
  /** `slug@3` pins a version, `slug:staging` a label. Undefined means the designated version. */
  readonly pin: Pin | undefined;
}

export type Pin = { readonly version: string } | { readonly label: string };

interface ParsedReference {
  readonly reference: PresetReference | undefined;
  /** The model that the request names besides the preset, if any. */
  readonly model: string | undefined;
  /** The values in `prompt.variables`, not checked yet. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Separates an optional model from a preset reference: `vendor/model@preset/slug`. */
export const presetMarker = '@preset/';

const pinnedSlug = '(?!\\.{1,2}[@:])(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}(@[1-9][0-9]*|:[a-z][a-z0-9-]{0,62})?';

/** For the OpenAPI document: every valid reference to a preset. */
export const presetPattern = `^(${presetMarker})?${pinnedSlug}$`;

/** For the OpenAPI document: a model, a preset reference, or both. */
export const modelPattern = `^((?!${presetMarker})[\\s\\S])*(${presetMarker}${pinnedSlug})?$`;

/** Far longer than any real model name. Bounds the work of matching model patterns against it. */
export const modelCharactersMax = 1_024;

/**
 * Parses the preset reference in the `model`, `preset` or `prompt` field of a request. Anything
 * that looks like a reference is either a valid one or an error; it is never forwarded as a model
 * name.
 */
export function parsePresetReference({
  model,
  preset,
  prompt,
}: {
  model?: unknown;
  preset?: unknown;
  prompt?: unknown;
}): ParsedReference {
  if (model !== undefined && model !== null && typeof model !== 'string')
    throw invalidField('/model', 'must be a string');
  if (typeof model === 'string' && model.length > modelCharactersMax)
    throw invalidField('/model', `must be at most ${modelCharactersMax} characters long`);
  if (preset !== undefined && preset !== null && typeof preset !== 'string')
    throw invalidField('/preset', 'must be the slug of a preset, such as "support-bot" or "support-bot@3"');
  const { name, text } = splitModel(model || undefined);
  const inModel = text === undefined ? undefined : parseReference(text, '/model');
  const inField = typeof preset === 'string' ? parseReference(withoutMarker(preset), '/preset') : undefined;
  if (inModel !== undefined && inField !== undefined && !isSame(inModel, inField))
    throw invalidField('/preset', 'names a different preset than /model; send only one of them');
  const reference = inModel ?? inField;
  if (!isPromptObject(prompt)) return { reference, model: name, variables: noVariables };
  return { ...parsePrompt(prompt, reference), model: name };
}

const noVariables: ParsedReference['variables'] = {};

/**
 * Parses an id from `GET /models`: a model, a preset reference, or both. Throws `not_found` for
 * anything that looks like a reference but is not.
 */
export function parseModelId(id: string): Pick<ParsedReference, 'reference' | 'model'> {
  const { name, text } = splitModel(id);
  const reference = text === undefined ? undefined : splitReference(text);
  if (reference !== undefined && !isSlug(reference.slug)) throw misspelled(id);
  return { reference, model: name };
}

/**
 * The request without what only presetd understands, with `model` as its name of a model.
 * A captured request may be sent as a call, hence `presetd`. The same object if nothing is removed.
 */
export function withoutReference(body: JsonObject, model: string | undefined): JsonObject {
  const hasPrompt = isPromptObject(body.prompt);
  if (body.model === model && !hasPrompt && !Object.hasOwn(body, 'preset') && !Object.hasOwn(body, 'presetd'))
    return body;
  const others: Record<string, unknown> = model === undefined ? {} : { model };
  copyFields(
    body,
    others,
    (name) =>
      name !== 'preset' && name !== 'model' && name !== 'presetd' && !(hasPrompt && name === 'prompt'),
  );
  return others;
}

/** OpenRouter's chat completions also have a text `prompt`, which is part of a conversation. */
export function isPromptObject(prompt: unknown): prompt is Readonly<Record<string, unknown>> {
  return typeof prompt === 'object' && prompt !== null && !Array.isArray(prompt);
}

/**
 * Parses OpenAI's reference to a stored prompt: `{id, version, variables}`. Another field may name
 * the preset instead of `id`, and then `version` pins it.
 */
function parsePrompt(
  { id, prompt_id, version, variables, ...rest }: Readonly<Record<string, unknown>>,
  named: PresetReference | undefined,
): Pick<ParsedReference, 'reference' | 'variables'> {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw invalidField(
      `/prompt${pointerSegment(unknown)}`,
      'is unknown; a prompt has id, version and variables',
    );
  const { path, name } = nameInPrompt(id, prompt_id);
  const inPrompt = name === undefined ? undefined : parseReference(name, path);
  if (inPrompt !== undefined && named !== undefined && inPrompt.slug !== named.slug)
    throw invalidField(
      path,
      'is not the name that /model or /preset uses; name the preset in one place only',
    );
  const slug = inPrompt?.slug ?? named?.slug;
  if (slug === undefined)
    throw invalidField('/prompt/id', 'is missing; name the preset here, in /model or in /preset');
  if (variables !== undefined && variables !== null && !isPromptObject(variables))
    throw invalidField('/prompt/variables', 'must be an object');
  const references = [
    { path: '', slug, pin: named?.pin },
    { path, slug, pin: inPrompt?.pin },
    { path: '/prompt/version', slug, pin: parsePromptVersion(version) },
  ].filter(({ pin }) => pin !== undefined);
  const [first = { slug, pin: undefined }] = references;
  const describe = (reference: PresetReference) => truncateForMessage(formatReference(reference));
  const other = references.find((reference) => !isSame(reference, first));
  if (other !== undefined)
    throw invalidField(
      other.path,
      `asks for ${describe(other)}, but the request also asks for ${describe(first)}; name the version once`,
    );
  return { reference: { slug, pin: first.pin }, variables: variables ?? noVariables };
}

/** Where the prompt names the preset, if it does. OpenAI's own pages also write `prompt_id`. */
function nameInPrompt(
  id: unknown,
  promptId: unknown,
): { readonly path: string; readonly name: string | undefined } {
  const inId = nameAt('/prompt/id', id);
  const inPromptId = nameAt('/prompt/prompt_id', promptId);
  if (inId === undefined && inPromptId !== undefined) return { path: '/prompt/prompt_id', name: inPromptId };
  if (inPromptId !== undefined && inPromptId !== inId)
    throw invalidField('/prompt/prompt_id', 'differs from /prompt/id; send only one of them');
  return { path: '/prompt/id', name: inId };
}

function nameAt(path: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalidField(path, 'must be the slug or an alias of a preset');
  return withoutMarker(value);
}

/** OpenAI's versions are numbers, as text. Labels pin a version just as well. */
function parsePromptVersion(version: unknown): Pin | undefined {
  if (version === undefined || version === null) return undefined;
  const text = typeof version === 'number' ? String(version) : version;
  if (typeof text !== 'string' || text.trim() === '')
    throw invalidField('/prompt/version', 'must be a version number or a label');
  return /^\d/.test(text) ? { version: text } : { label: text };
}

/** The reference as a client writes it, such as `slug@3`. */
export function formatReference({ slug, pin }: PresetReference): string {
  if (pin === undefined) return slug;
  return 'version' in pin ? `${slug}@${pin.version}` : `${slug}:${pin.label}`;
}

/**
 * A name that ends with a slash is a vendor without a model. It has no effect, so that clients that
 * choose models by vendor can call a preset: `anthropic/@preset/slug`.
 */
function splitModel(model: string | undefined): { name: string | undefined; text: string | undefined } {
  const start = model?.indexOf(presetMarker) ?? -1;
  if (model === undefined || start === -1) {
    if (model !== undefined && /@preset/i.test(model)) throw misspelled(model);
    return { name: model, text: undefined };
  }
  const name = model.slice(0, start).trim();
  return {
    name: name === '' || name.endsWith('/') ? undefined : name,
    text: model.slice(start + presetMarker.length),
  };
}

/**
 * For typos such as `@presets/x` or `@Preset/x`, which an upstream would only report as an unknown
 * model.
 */
function misspelled(model: string): PresetdError {
  return new PresetdError(
    'not_found',
    `The model ${JSON.stringify(truncateForMessage(model))} does not name a preset. Write a preset as "@preset/slug".`,
    { code: 'preset_not_found' },
  );
}

/** The `preset` field accepts `@preset/slug` as well as `slug`. */
function withoutMarker(preset: string): string {
  return preset.startsWith(presetMarker) ? preset.slice(presetMarker.length) : preset;
}

function parseReference(text: string, path: string): PresetReference {
  const reference = splitReference(text);
  if (isSlug(reference.slug)) return reference;
  throw invalidField(
    path,
    `is not a valid preset reference: the slug ${JSON.stringify(truncateForMessage(reference.slug))} ${slugRule}`,
  );
}

/** The slug is not checked yet. */
function splitReference(text: string): PresetReference {
  // A slug contains neither character.
  const end = text.search(/[@:]/);
  if (end === -1) return { slug: text, pin: undefined };
  const slug = text.slice(0, end);
  const pinned = text.slice(end + 1);
  return { slug, pin: text.charAt(end) === '@' ? { version: pinned } : { label: pinned } };
}

function isSame(one: PresetReference, other: PresetReference): boolean {
  return formatReference(one) === formatReference(other);
}

/** Shortens text from a request for an error message. The result is always well-formed Unicode. */
export function truncateForMessage(text: string): string {
  return text.length > 150 ? `${text.slice(0, 150).toWellFormed()}…` : text;
}

/**
 * Finds the fields of a config or request that name a preset where a model belongs. A preset is
 * applied once and never resolved recursively, so no upstream would find such a model.
 */
export function findPresetsUsedAsModels(config: Readonly<Record<string, unknown>>): readonly Issue[] {
  const { model, models, fallbacks } = config;
  // Fast path: this runs for every call, and most name one plain model.
  if (models === undefined && fallbacks === undefined && !namesPreset(model)) return noIssues;
  const candidates = [
    { path: '/model', name: model },
    ...itemsOf(models, '/models'),
    ...itemsOf(fallbacks, '/fallbacks').map(({ path, name }) => ({
      path: hasModel(name) ? `${path}/model` : path,
      name,
    })),
  ];
  return candidates
    .filter(({ name }) => namesPreset(name))
    .map(({ path }) => ({ path, message: 'must name a model, not a preset' }));
}

const noIssues: readonly Issue[] = [];

/** Checks any JSON value, not only strings: an upstream might accept other shapes too. */
function namesPreset(name: unknown): boolean {
  if (name === undefined || name === null) return false;
  return (typeof name === 'string' ? name : JSON.stringify(name)).includes(presetMarker);
}

/** Each item with its path. A value that is not a list counts as a list of one. */
function itemsOf(value: unknown, path: string): readonly { readonly path: string; readonly name: unknown }[] {
  if (!Array.isArray(value)) return [{ path, name: value }];
  return value.map((name, index) => ({ path: `${path}/${index}`, name }));
}

function hasModel(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'model' in value;
}
