/**
 * Renames a variable in its declaration and in the texts that use it.
 *
 * Only templates are changed: the system prompt, few-shot messages and descriptions of tools. In a
 * section, a name means a field of the section's items if they can have one, as it does on the
 * server.
 */

import { isJsonObject, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import { parsePointer } from '../../../../../src/core/json/json-pointer.ts';
import { mapDescriptions, toolFields } from '../../../../../src/dialects/presets/extension/template-texts.ts';
import { parseExactJson } from '../../../api/exact-json.ts';
import { isSystemMessage, messageLists, promptFields } from '../../../features/request/prompt-field.ts';
import { type JSONPath, setField } from '../../../features/request/request-text.ts';
import { declarationsOf } from '../../../features/request/variables.ts';

/** Nothing happens if the new name is taken. */
export function renameVariable(text: string, from: string, to: string): string {
  const body = parseExactJson(text);
  if (!isJsonObject(body)) return text;
  const declarations = declarationsOf(body.presetd);
  if (declarations.some(([name]) => name === to)) return text;
  const variables = Object.fromEntries(declarations);
  const renamed = templatesOf(body).reduce((changed, { path, template }) => {
    const next = renameIn(template, from, to, variables);
    return next === template ? changed : setField(changed, path, next);
  }, text);
  // As a whole, to keep the order.
  const entries = declarations.map(([name, schema]) => [name === from ? to : name, schema] as const);
  return setField(renamed, ['presetd', 'variables'], Object.fromEntries(entries));
}

interface LocatedTemplate {
  readonly path: JSONPath;
  readonly template: string;
}

/** The texts of a request that are templates, in any dialect. */
function templatesOf(body: JsonObject): readonly LocatedTemplate[] {
  const system = messageLists.flatMap((list) =>
    itemsOf(body[list]).flatMap((message, index) =>
      isSystemMessage(message) ? textsIn(message, [list, index]) : [],
    ),
  );
  const presetd = isJsonObject(body.presetd) ? body.presetd : {};
  const examples = itemsOf(presetd.messages).flatMap((message, index) =>
    textsIn(message, ['presetd', 'messages', index]),
  );
  return [
    ...textsIn(body, [], promptFields),
    ...system,
    ...examples,
    ...toolFields.flatMap((list) =>
      itemsOf(body[list]).flatMap((tool, index) => descriptionsIn(tool, [list, index])),
    ),
  ];
}

function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** Fields of messages and of their parts that hold text. */
const textFields = ['content', 'text', 'refusal', 'source', 'data'];

function textsIn(value: unknown, path: JSONPath, fields = textFields): readonly LocatedTemplate[] {
  if (typeof value === 'string') return [{ path, template: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return fields.flatMap((field) =>
    Object.hasOwn(value, field) ? textsIn(value[field], [...path, field]) : [],
  );
}

function descriptionsIn(tool: unknown, path: JSONPath): readonly LocatedTemplate[] {
  const found: LocatedTemplate[] = [];
  mapDescriptions(tool, (template, pointer) => {
    const inside = parsePointer(pointer).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    found.push({ path: [...path, ...inside], template });
    return template;
  });
  return found;
}

/** A tag up to the end of its name. */
const tagPattern = /(\{\{\{?\s*([#^/&]?)\s*)([A-Za-z_]\w*)((?:\.\w+)*)(?=\s*\}\})/g;

/** An open section, and the schema of what it enters; undefined if that can be anything. */
interface OpenSection {
  readonly isRenamed: boolean;
  readonly schema: unknown;
}

function renameIn(template: string, from: string, to: string, variables: JsonObject): string {
  const open: OpenSection[] = [];
  return template.replaceAll(tagPattern, (tag, start: string, sigil: string, name: string, rest: string) => {
    const renamed = start + to + rest;
    if (sigil === '/') return open.pop()?.isRenamed ? renamed : tag;
    const inner = open.findLast(({ schema }) => canHaveField(schema, name));
    const isRenamed = name === from && inner === undefined;
    if (sigil === '#') {
      const root = inner === undefined ? variables[name] : fieldOf(inner.schema, name);
      open.push({ isRenamed, schema: itemOf(rest.split('.').slice(1).reduce(fieldOf, root)) });
    } else if (sigil === '^') open.push({ isRenamed, schema: noFields });
    return isRenamed ? renamed : tag;
  });
}

const noFields = { type: 'string' };

/** Whether a value of this schema can be an object with this field. */
function canHaveField(schema: unknown, name: string): boolean {
  if (!isJsonObject(schema)) return true;
  if (schema.type !== undefined && schema.type !== 'object') return false;
  const { properties, additionalProperties } = schema;
  if (!isJsonObject(properties) || Object.keys(properties).length === 0)
    return additionalProperties !== false;
  return (
    Object.hasOwn(properties, name) || additionalProperties === true || isJsonObject(additionalProperties)
  );
}

function fieldOf(schema: unknown, name: string): unknown {
  const properties = isJsonObject(schema) ? schema.properties : undefined;
  return isJsonObject(properties) ? properties[name] : undefined;
}

function itemOf(schema: unknown): unknown {
  return isJsonObject(schema) && schema.type === 'array' ? schema.items : schema;
}
