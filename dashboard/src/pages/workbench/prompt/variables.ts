/** Edits of the variables that a request declares, in `presetd.variables`. */

import { isJsonObject, type JsonObject } from '../../../../../src/core/json-object.ts';
import { isVariableName } from '../../../../../src/dialects/presets/extension/parse-template.ts';
import type { VariableType } from '../../../../../src/dialects/presets/extension/variable-schema.ts';
import { parseExactJson } from '../../../api/exact-json.ts';
import { removeField, setField } from '../../../features/request/request-text.ts';

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

/** The first names that a text uses as variables without a declaration. */
export function undeclaredIn(text: string, declared: readonly string[]): readonly string[] {
  // Names inside a section may be those of its items.
  const outside = text.replaceAll(/\{\{\s*[#^]\s*(\w+)\s*\}\}.*?\{\{\s*\/\s*\1\s*\}\}/gs, '');
  const used = [...outside.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name);
  const isUndeclared = (name: string) => isVariableName(name) && !declared.includes(name);
  return [...new Set(used)].filter(isUndeclared).slice(0, suggestedMax);
}

const suggestedMax = 5;

/** Declares a variable, or replaces its declaration. */
export function declareVariable(text: string, name: string, schema: JsonObject): string {
  return setField(text, [...path, name], schema);
}

export function removeVariable(text: string, name: string): string {
  return removeField(text, [...path, name]);
}

/** The schema with a default, or without one. An empty text means that a value is required. */
export function withDefault(schema: JsonObject, text: string): JsonObject {
  const { default: _, ...rest } = schema;
  if (text === '') return rest;
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
