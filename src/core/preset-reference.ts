import { PresetdError } from './errors.ts';
import { invalidBody } from './request-issues.ts';
import { isSlug, slugRule } from './slug.ts';

/** Which version of which preset a request asks for. */
export interface PresetReference {
  readonly slug: string;
  /** A version number after an `@`, or a label after a `:`; without one, the designated version. */
  readonly pin: Pin | undefined;
}

export type Pin = { readonly version: string } | { readonly label: string };

export interface ParsedReference {
  readonly reference: PresetReference | undefined;
  /** The model that the request itself names, if any. */
  readonly model: string | undefined;
}

/** What stands between a model and the preset; whatever follows it is a reference and never part of a model's name. */
export const presetMarker = '@preset/';

const pinnedSlug = '(?!\\.{1,2}[@:])(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}(@[1-9][0-9]*|:[a-z][a-z0-9-]{0,62})?';

/** For the API document: every reference to a version that can exist. */
export const presetPattern = `^(${presetMarker})?${pinnedSlug}$`;

/** For the API document: a model, a preset, or both. What follows the mark is always a reference. */
export const modelPattern = `^((?!${presetMarker})[\\s\\S])*(${presetMarker}${pinnedSlug})?$`;

/** Far longer than any; patterns are held against it. */
export const modelCharactersMax = 1_024;

/**
 * Finds the preset that a request names in its `model` or its `preset`. Whatever looks like a reference is one: it is
 * read or refused, but never passed on as the name of a model.
 */
export function parsePresetReference({
  model,
  preset,
}: {
  model?: unknown;
  preset?: unknown;
}): ParsedReference {
  if (model !== undefined && model !== null && typeof model !== 'string')
    throw refused('/model', 'must be a string');
  if (typeof model === 'string' && model.length > modelCharactersMax)
    throw refused('/model', `must be at most ${modelCharactersMax} characters long`);
  if (preset !== undefined && preset !== null && typeof preset !== 'string')
    throw refused('/preset', 'must be the slug of a preset, such as "support-bot" or "support-bot@3"');
  const { name, text } = splitModel(model || undefined);
  const inModel = text === undefined ? undefined : parseReference(text, '/model');
  const inField = typeof preset === 'string' ? parseReference(withoutMark(preset), '/preset') : undefined;
  if (inModel !== undefined && inField !== undefined && !isSame(inModel, inField))
    throw refused('/preset', 'names another preset than /model does; give one of them');
  return { reference: inModel ?? inField, model: name };
}

/** The text of a reference as a client writes it. */
export function formatReference({ slug, pin }: PresetReference): string {
  if (pin === undefined) return slug;
  return 'version' in pin ? `${slug}@${pin.version}` : `${slug}:${pin.label}`;
}

function splitModel(model: string | undefined): { name: string | undefined; text: string | undefined } {
  const start = model?.indexOf(presetMarker) ?? -1;
  if (model === undefined || start === -1) {
    if (model !== undefined && /@preset/i.test(model)) throw misspelled(model);
    return { name: model, text: undefined };
  }
  const name = model.slice(0, start).trim();
  return { name: name === '' ? undefined : name, text: model.slice(start + presetMarker.length) };
}

/** Whoever writes this means a preset; as the name of a model it would only be refused by somebody else. */
function misspelled(model: string): PresetdError {
  return new PresetdError(
    'not_found',
    `There is no preset behind ${JSON.stringify(truncateForMessage(model))}. A preset is named as "@preset/slug".`,
  );
}

/** Some write the whole name of the model here, too. */
function withoutMark(preset: string): string {
  return preset.startsWith(presetMarker) ? preset.slice(presetMarker.length) : preset;
}

function parseReference(text: string, path: string): PresetReference {
  // Neither character can be part of a slug.
  const end = text.search(/[@:]/);
  const slug = end === -1 ? text : text.slice(0, end);
  if (!isSlug(slug))
    throw refused(
      path,
      `names no preset that can exist: the slug ${JSON.stringify(truncateForMessage(slug))} ${slugRule}`,
    );
  if (end === -1) return { slug, pin: undefined };
  const pinned = text.slice(end + 1);
  return { slug, pin: text.charAt(end) === '@' ? { version: pinned } : { label: pinned } };
}

function isSame(one: PresetReference, other: PresetReference): boolean {
  return formatReference(one) === formatReference(other);
}

/** For a message. */
export function truncateForMessage(text: string): string {
  return text.length > 150 ? `${text.slice(0, 150).toWellFormed()}…` : text;
}

function refused(path: string, message: string): PresetdError {
  return invalidBody([{ path, message }]);
}
