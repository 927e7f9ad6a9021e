/**
 * The names of tools, which providers restrict: OpenAI to 64 characters, Anthropic to 128. A name
 * that is not accepted is replaced by one that depends on nothing else, so that the next request
 * says the same and prompt caches keep working. Clients get calls back with the name they know.
 */

import type { Dialect } from '../../core/presets/preset.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { restrictId, shortenId } from './accepted-ids.ts';

/** Original names, by the names that an upstream knows. Names that are the same are left out. */
export type ToolNames = ReadonlyMap<string, string>;

/** Replaces the names in a request that its provider would reject. */
export function fitToolNames(
  body: JsonObject,
  dialect: Dialect,
): { readonly body: JsonObject; readonly toolNames: ToolNames } {
  const names = new Set<string>();
  changeNames(body, dialect, (name) => {
    names.add(name);
    return name;
  });
  const replaced = replaceNames(names, lengthMax[dialect]);
  if (replaced.size === 0) return { body, toolNames: replaced };
  return {
    body: changeNames(body, dialect, (name) => replaced.get(name) ?? name),
    toolNames: new Map([...replaced].map(([name, sent]) => [sent, name])),
  };
}

const lengthMax: Readonly<Record<Dialect, number>> = { 'chat-completions': 64, messages: 128, responses: 64 };

/** New names for those that are not accepted, each unlike all others. */
function replaceNames(names: ReadonlySet<string>, length: number): ReadonlyMap<string, string> {
  const replaced = new Map<string, string>();
  const taken = new Set(names);
  for (const name of names) {
    if (name.length <= length && /^[\w-]*$/.test(name)) continue;
    let sent = shortenId(restrictId(name), length);
    for (let count = 2; taken.has(sent); count += 1) sent = shortenId(restrictId(`${name} ${count}`), length);
    taken.add(sent);
    replaced.set(name, sent);
  }
  return replaced;
}

function changeNames(body: JsonObject, dialect: Dialect, change: (name: string) => string): JsonObject {
  return places[dialect].reduce(
    (changed, path) => changeAt(changed, path.split('.'), change) as JsonObject,
    body,
  );
}

/** Where requests name tools. A star stands for any index. */
const places: Readonly<Record<Dialect, readonly string[]>> = {
  'chat-completions': [
    'tools.*.function.name',
    'tools.*.custom.name',
    'tool_choice.function.name',
    'tool_choice.custom.name',
    'tool_choice.allowed_tools.tools.*.function.name',
    'tool_choice.allowed_tools.tools.*.custom.name',
    'messages.*.tool_calls.*.function.name',
    'messages.*.tool_calls.*.custom.name',
  ],
  messages: ['tools.*.name', 'tool_choice.name', 'messages.*.content.*.name'],
  responses: ['tools.*.name', 'tool_choice.name', 'tool_choice.tools.*.name', 'input.*.name'],
};

function changeAt(value: unknown, path: readonly string[], change: (text: string) => string): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === 'string' ? change(value) : value;
  if (name === '*') return Array.isArray(value) ? value.map((each) => changeAt(each, rest, change)) : value;
  if (!isJsonObject(value) || value[name] === undefined) return value;
  return { ...value, [name]: changeAt(value[name], rest, change) };
}
