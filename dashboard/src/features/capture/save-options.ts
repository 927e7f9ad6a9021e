/**
 * The note of a version and whether it goes live.
 *
 * A request can set both in its `presetd` object, and the form has a field for each. The request
 * wins: a field only fills in what the request leaves out, so that the editor never shows something
 * else than what is saved.
 */

import { applyEdits, modify } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';
import { noteCharactersMax } from '../../../../src/core/presets/preset.ts';

export interface SaveOptions {
  /** Empty for none. */
  readonly note?: string | undefined;
  readonly goesLive?: boolean | undefined;
}

/**
 * The options that a request sets itself. For a value of the wrong type, which the server rejects,
 * it returns the default.
 */
export function saveOptionsOf({ presetd }: JsonObject): SaveOptions {
  if (!isJsonObject(presetd)) return {};
  const { note, designate } = presetd;
  return {
    ...(note !== undefined && { note: typeof note === 'string' ? note : '' }),
    ...(designate !== undefined && { goesLive: designate !== false }),
  };
}

/**
 * The text with the options of the form in its `presetd` object, for a body that was parsed from
 * it. Edits the text, because serializing the body again could alter numbers.
 */
export function withSaveOptions(text: string, body: JsonObject, fields: SaveOptions): string {
  const { presetd } = body;
  const own = saveOptionsOf(body);
  const note = fields.note?.trim();
  const parts = {
    ...(own.note === undefined && note && { note }),
    ...(own.goesLive === undefined && fields.goesLive === false && { designate: false }),
  };
  const edit = (before: string, path: readonly string[], value: unknown) =>
    applyEdits(before, modify(before, [...path], value, {}));
  if (Object.keys(parts).length === 0) return text;
  if (presetd === undefined || presetd === null) return edit(text, ['presetd'], parts);
  // Anything else is for the server to reject.
  if (!isJsonObject(presetd)) return text;
  return Object.entries(parts).reduce(
    (edited, [name, value]) => edit(edited, ['presetd', name], value),
    text,
  );
}

/** From here on, the form counts. */
const countedFrom = noteCharactersMax - 50;

/** The hint below a note: its length when it is close to the limit, an error beyond it. */
export function noteLength(note: string): { readonly hint?: string; readonly error?: string } {
  const length = [...note.trim()].length;
  if (length < countedFrom) return {};
  const count = `${length} of ${noteCharactersMax} characters`;
  return length > noteCharactersMax ? { error: `${count}. Shorten the note.` } : { hint: count };
}
