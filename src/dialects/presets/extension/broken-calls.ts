import type { Issue } from '../../../core/errors.ts';
import { isJsonObject, isSameJson } from '../../../core/json/json-object.ts';
import { pointerSegment } from '../../../core/json/json-pointer.ts';
import type { PresetVersion } from '../../../core/presets/preset.ts';
import type { Declarations, VariableSchema } from './variable-schema.ts';

type Version = Pick<PresetVersion, 'extensionJson'>;

/** Finds the calls that one version accepts and another rejects. */
export function findBrokenCalls(from: Version, to: Version): readonly Issue[] {
  const parse = ({ extensionJson }: Version) => JSON.parse(extensionJson ?? '{}').variables;
  return findCallsBrokenBy(parse(from), parse(to));
}

/**
 * Finds the calls that break because the variables of a preset change. Nothing else in a version
 * rejects calls: policies lower values and remove fields.
 */
export function findCallsBrokenBy(
  from: Readonly<Record<string, unknown>> | undefined,
  to: Readonly<Record<string, unknown>> | undefined,
): readonly Issue[] {
  const [before, after] = [declarationsOf(from), declarationsOf(to)];
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.flatMap((name) => {
    const message = describeBreak(name, before[name], after[name]);
    return message === undefined ? [] : [{ path: `/presetd/variables${pointerSegment(name)}`, message }];
  });
}

/** Without a prototype, so that a variable may be called `constructor`. */
function declarationsOf(variables: object | undefined): Declarations {
  return Object.assign(Object.create(null), variables);
}

function describeBreak(
  name: string,
  before: VariableSchema | undefined,
  after: VariableSchema | undefined,
): string | undefined {
  if (after === undefined) return `is no longer a variable: calls with \`${name}\` fail`;
  const isRequired = after.default === undefined;
  if (before === undefined)
    return isRequired ? `is a new variable without a default: calls without \`${name}\` fail` : undefined;
  if (isRequired && before.default !== undefined)
    return `no longer has a default: calls without \`${name}\` fail`;
  if (before.type !== after.type && !(before.type === 'integer' && after.type === 'number'))
    return `has the type ${after.type} instead of ${before.type}: calls with another type of \`${name}\` fail`;
  const changed = stricterKeywords(before, after);
  return changed.length === 0
    ? undefined
    : `has stricter or other rules (${changed.join(', ')}): calls whose \`${name}\` does not meet them fail`;
}

/** The keywords by which the new schema may reject what the old one accepts. */
function stricterKeywords(before: VariableSchema, after: VariableSchema): readonly string[] {
  const keywords = Object.keys(after).filter(
    (keyword) => !isHarmless(keyword, before[keyword], after[keyword]),
  );
  const { properties, additionalProperties = true } = after;
  const isClosed =
    before.properties !== undefined && properties === undefined && additionalProperties !== true;
  return isClosed ? [...keywords, 'properties'] : keywords;
}

const descriptive = ['type', 'title', 'description', 'examples', 'default'];
const upperBounds = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems'];
const lowerBounds = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems'];

/**
 * Whether every value that met the old rule meets the new one. Says no where that is hard to know.
 */
function isHarmless(keyword: string, before: unknown, after: unknown): boolean {
  if (descriptive.includes(keyword) || isSameJson(before, after)) return true;
  if (before === undefined) return keyword === 'additionalProperties' && after === true;
  if (upperBounds.includes(keyword)) return Number(after) >= Number(before);
  if (lowerBounds.includes(keyword)) return Number(after) <= Number(before);
  if (keyword === 'enum') return includesAll(after, before);
  if (keyword === 'required') return includesAll(before, after);
  if (keyword === 'items' || keyword === 'additionalProperties')
    return isJsonObject(before) && isJsonObject(after) && acceptsAll(before, after);
  return false;
}

function acceptsAll(before: object, after: object): boolean {
  const [old, current] = [before as VariableSchema, after as VariableSchema];
  return old.type === current.type && stricterKeywords(old, current).length === 0;
}

function includesAll(list: unknown, items: unknown): boolean {
  return (
    Array.isArray(list) &&
    Array.isArray(items) &&
    items.every((item) => list.some((other) => isSameJson(item, other)))
  );
}
