/** Edits of the variables that a request declares, in `presetd.variables`. */

import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';
import { asList, asObject } from '../../../../src/core/json/loose-json.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { findPlaceholders } from '../../../../src/dialects/presets/extension/placeholders.ts';
import { mapDescriptions, toolFields } from '../../../../src/dialects/presets/extension/template-texts.ts';
import type { VariableType } from '../../../../src/dialects/presets/extension/variable-schema.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import { readPrompt } from './prompt-field.ts';
import { removeField, setField } from './request-text.ts';

const path = ['presetd', 'variables'];

export const variableTypes: readonly VariableType[] = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
];

/** Declarations by name, in the order of the request, complete or not. */
export function declarationsOf(presetd: unknown): readonly (readonly [string, unknown])[] {
  const declared = isJsonObject(presetd) ? presetd.variables : undefined;
  return isJsonObject(declared) ? Object.entries(declared) : [];
}

/**
 * The names in braces without a declaration: in the system prompt, few-shot messages and
 * descriptions of tools. The body may be any object.
 */
export function undeclaredNames(body: JsonObject, dialect: Dialect): readonly string[] {
  const declared = declarationsOf(body.presetd).map(([name]) => name);
  const texts = [readPrompt(body, dialect), JSON.stringify(asObject(body.presetd).messages) ?? ''];
  for (const tool of toolFields.flatMap((field) => asList(body[field])))
    mapDescriptions(tool, (text) => {
      texts.push(text);
      return text;
    });
  const names = texts.flatMap(findPlaceholders);
  return [...new Set(names)].filter((name) => !declared.includes(name));
}

/** Declares a variable, or replaces its declaration. */
export function declareVariable(text: string, name: string, schema: JsonObject): string {
  return setField(text, [...path, name], schema);
}

export function removeVariable(text: string, name: string): string {
  return removeField(text, [...path, name]);
}

/** The schema with a default, or without one. A text without any character requires a value. */
export function withDefault(schema: JsonObject, text: string): JsonObject {
  const { default: _, ...rest } = schema;
  // A lone line break looks empty.
  if (/^\n*$/.test(text)) return rest;
  return { ...rest, default: schema.type === 'string' ? text : parseValue(text) };
}

/** JSON if the text is some, and text while it is incomplete; the server then explains the type. */
function parseValue(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/** A name for a variable that stands for a text: "Acme Corp" becomes `acme_corp`. */
export function suggestName(text: string, taken: readonly string[]): string {
  const words =
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const base =
    words
      .slice(0, 4)
      .join('_')
      .replace(/^(?=\d)/, '_') || 'value';
  let name = base;
  for (let count = 2; taken.includes(name); count += 1) name = `${base}_${count}`;
  return name;
}
