/**
 * The names of tools, which providers restrict: OpenAI to 64 characters, Anthropic to 128. A name
 * that is not accepted is replaced by one that depends on nothing else, so that the next request
 * says the same and prompt caches keep working. Clients get calls back with the name they know.
 */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { restrictId, shortenId } from '../model/accepted-ids.ts';
import type { ToolNames } from '../model/completion.ts';

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
  const replaced = replaceNames(names, dialectOf[dialect].tools.nameLengthMax);
  if (replaced.size === 0) return { body, toolNames: replaced };
  return {
    body: changeNames(body, dialect, (name) => replaced.get(name) ?? name),
    toolNames: new Map([...replaced].map(([name, sent]) => [sent, name])),
  };
}

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
  return dialectOf[dialect].tools.namePaths.reduce(
    (changed, path) => changeAt(changed, path.split('.'), change) as JsonObject,
    body,
  );
}

function changeAt(value: unknown, path: readonly string[], change: (text: string) => string): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === 'string' ? change(value) : value;
  if (name === '*') return Array.isArray(value) ? value.map((each) => changeAt(each, rest, change)) : value;
  if (!isJsonObject(value) || value[name] === undefined) return value;
  return { ...value, [name]: changeAt(value[name], rest, change) };
}
