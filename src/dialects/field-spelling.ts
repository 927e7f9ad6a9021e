import type { Issue } from '../core/errors.ts';
import type { JsonObject } from '../core/json/json-object.ts';
import { pointerSegment } from '../core/json/json-pointer.ts';
import { allDialects } from './dialects.ts';

/**
 * Finds the fields of a call whose names equal those of known fields but for their case.
 *
 * Go's JSON parser, and so Ollama, ignores case and uses the last of two names. To presetd, `Model`
 * is an unknown field, which it would pass on next to the `model` of a preset, past locks, limits
 * and the presets that a key is limited to.
 *
 * The schemas of all dialects decide together, because an upstream may know more than the dialect
 * of the call. Maps are not searched: their names are the caller's own.
 */
export function findMisspelledFields(body: JsonObject): readonly Issue[] {
  return hasMisspelled(body, callShape) ? collectMisspelled(body, callShape, '') : none;
}

const none: readonly Issue[] = [];

/** The known fields of an object, or of all objects in a list, with what each of them contains. */
interface Shape extends ReadonlyMap<string, Shape | typeof unknownContent> {}

/** A plain value, a map, or something that schemas say nothing about. */
const unknownContent = null;

/** Every call is searched, and hardly any has an issue: paths are only built for those. */
function hasMisspelled(value: object, shape: Shape): boolean {
  if (Array.isArray(value)) return value.some((item) => isObject(item) && hasMisspelled(item, shape));
  const fields = value as JsonObject;
  for (const name in fields) {
    const content = shape.get(name);
    if (content === undefined) {
      if (shape.has(foldCase(name))) return true;
    } else if (content !== unknownContent) {
      const part = fields[name];
      if (isObject(part) && hasMisspelled(part, content)) return true;
    }
  }
  return false;
}

function collectMisspelled(value: object, shape: Shape, path: string): readonly Issue[] {
  return Object.entries(value).flatMap(([name, part]): readonly Issue[] => {
    const content = Array.isArray(value) ? shape : shape.get(name);
    const below = path + pointerSegment(name);
    if (content === undefined) {
      const spelling = foldCase(name);
      const message = `must be spelled "${spelling}", because some upstreams ignore case and would read it as that field`;
      return shape.has(spelling) ? [{ path: below.toWellFormed(), message }] : none;
    }
    return content !== unknownContent && isObject(part) ? collectMisspelled(part, content, below) : none;
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * The name that Go would take this one for, if it is known. All known names consist of lower case
 * letters. Beyond ASCII, the Kelvin sign folds to `k`, as `toLowerCase` knows, and `ſ` to `s`.
 */
function foldCase(name: string): string {
  return name.toLowerCase().replaceAll('ſ', 's');
}

/** The keywords of our schemas that say which names objects have. */
interface Schema {
  readonly anyOf?: readonly object[];
  readonly items?: object;
  readonly properties?: Readonly<Record<string, object>>;
  readonly additionalProperties?: boolean | object;
}

/** The shape of a value by any of these schemas. Lists and their items share a shape. */
function shapeOf(schemas: readonly object[]): Shape | typeof unknownContent {
  const all = schemas.flatMap(alternativesOf);
  if (all.some(isMap)) return unknownContent;
  const fields = all.flatMap(({ properties = {} }) => Object.entries(properties));
  if (fields.length === 0) return unknownContent;
  const schemasOf = Map.groupBy(fields, ([name]) => name);
  return new Map([...schemasOf].map(([name, entries]) => [name, shapeOf(entries.map(([, each]) => each))]));
}

function alternativesOf(schema: Schema): readonly Schema[] {
  const { anyOf = [], items } = schema;
  return [schema, ...anyOf.flatMap(alternativesOf), ...(items === undefined ? [] : alternativesOf(items))];
}

/** A schema says so explicitly: unknown names in any other object are for the upstream to judge. */
function isMap({ additionalProperties = false }: Schema): boolean {
  return additionalProperties !== false;
}

const callShape = createCallShape();

/**
 * Each of Anthropic's `fallbacks` may set fields of its own, to which locks and limits apply as
 * well. `presetd` is not passed on.
 */
function createCallShape(): Shape {
  const shape = new Map(shapeOf(allDialects.map(({ request }) => request.schema)));
  shape.set('presetd', unknownContent);
  shape.set('fallbacks', shape);
  return shape;
}
