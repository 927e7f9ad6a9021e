import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { fieldKind } from '../known-fields.ts';

/**
 * Translates the fields that captures leave out because they concern a single call: who asks, and
 * how the response is delivered and stored. Reports those that the other dialect cannot express.
 */
export function translateCallFields(
  request: JsonObject,
  from: Dialect,
  to: Dialect,
  drop: (path: string) => void,
): JsonObject {
  const settings = dialectOf[from].call.parse(request, drop);
  const others = Object.entries(request).filter(([name]) => !translated.has(name) && isCallField(name, from));
  for (const [name] of others) if (!isCallField(name, to)) drop(name);
  return {
    ...Object.fromEntries(others.filter(([name]) => isCallField(name, to))),
    ...dialectOf[to].call.write(settings, drop),
  };
}

/**
 * Fields with another form, or without an effect elsewhere: usage is always reported, and the
 * gateway has applied the preset.
 */
const translated: ReadonlySet<string> = new Set([
  'metadata',
  'user',
  'safety_identifier',
  'stream_options',
  'usage',
  'preset',
  'presetd',
]);

const callKinds: ReadonlySet<string | undefined> = new Set([
  'delivery',
  'identity',
  'call',
  'preset',
  'extension',
]);

function isCallField(name: string, dialect: Dialect): boolean {
  return callKinds.has(fieldKind(name, dialect));
}
