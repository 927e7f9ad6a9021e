import type { Issue } from '../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-object.ts';
import { pointerSegment } from '../../../core/json/json-pointer.ts';
import { roundNumbers } from '../../../core/json/json-text.ts';
import { nearestName } from '../../../core/text/nearest-name.ts';
import { contentItemToBlocks, isContentItem } from './content-item.ts';
import { createValidator, type Declarations, type VariableSchema } from './variable-schema.ts';

/** The values for a call, or the reasons why the client's are not valid. */
export type VariableValues = ValidValues | InvalidValues;

interface InvalidValues {
  readonly issues: readonly Issue[];
  /** Whether a variable without a default has no value. */
  readonly isIncomplete: boolean;
}

interface ValidValues {
  readonly issues?: undefined;
  /** All declared variables. An `input_text` item is replaced by its text. */
  readonly values: JsonObject;
  /** The variables that have their default. */
  readonly defaultNames: readonly string[];
  /** The variables whose value is an image or a file, which cannot be part of a text. */
  readonly mediaNames: readonly string[];
}

/** Validating a value takes longer the more fields or alternatives its schema has. */
const valuesMax = 10_000;

/** Bounds the length of an error response. */
const unknownNamesMax = 50;

/**
 * Compiles declarations into a function that checks the values of a call. Compiling takes
 * milliseconds, a check microseconds.
 *
 * The function takes what a client sent at `path`, where null and undefined mean no values, and
 * numbers may be raw. It never converts a value to another type.
 */
export function compileVariables(
  declarations: Declarations,
  path = '/prompt/variables',
): (sent: unknown) => VariableValues {
  const validate = createValidator(roundNumbers(declarations) as Declarations);
  const variables = Object.entries(declarations);
  const fail = (issues: readonly Issue[], isIncomplete = false) => ({
    issues: issues.map((issue) => ({ ...issue, path: path + issue.path })),
    isIncomplete,
  });

  return (sent) => {
    const given = sent ?? {};
    if (!isJsonObject(given)) return fail([{ path: '', message: 'must be an object' }]);
    if (hasMoreValues(given, valuesMax))
      return fail([{ path: '', message: `must have at most ${valuesMax} JSON values` }]);
    const defaultNames: string[] = [];
    const mediaNames: string[] = [];
    const invalid: Issue[] = [];
    let isIncomplete = false;
    // A string that was sent is used and checked as it is. The rest is in these two; Ajv gets no
    // media, and plain numbers.
    const others: Record<string, unknown> = {};
    const checkedOthers: Record<string, unknown> = {};
    for (const [name, schema] of variables) {
      const isGiven = Object.hasOwn(given, name);
      if (isGiven && typeof given[name] === 'string') continue;
      const value = isGiven ? withTextOfItem(given[name], schema) : schema.default;
      if (value === undefined) {
        invalid.push({ path: `/${name}`, message: 'is required' });
        isIncomplete = true;
        continue;
      }
      if (!isGiven) defaultNames.push(name);
      const isMedia = isMediaFor(schema, value);
      if (isMedia) mediaNames.push(name);
      if (isMedia && contentItemToBlocks(value) === undefined)
        invalid.push({ path: `/${name}`, message: 'must have exactly one source: a URL, data or a file id' });
      others[name] = value;
      checkedOthers[name] = isMedia ? undefined : roundNumbers(value);
    }
    const issues = [
      ...invalid,
      ...findUnknownNames(given, declarations),
      ...validate(withFields(given, checkedOthers)),
    ];
    if (issues.length > 0) return fail(issues, isIncomplete);
    return { values: withFields(given, others), defaultNames, mediaNames };
  };
}

/** Most calls replace nothing, and need no copy. */
function withFields(given: JsonObject, replaced: JsonObject): JsonObject {
  return Object.keys(replaced).length === 0 ? given : { ...given, ...replaced };
}

/** An `input_text` item is short for its text. */
function withTextOfItem(value: unknown, { type }: VariableSchema): unknown {
  if (typeof value !== 'object' || type !== 'string') return value;
  return isContentItem(value) && value.type === 'input_text' && typeof value.text === 'string'
    ? value.text
    : value;
}

/**
 * Whether a value is an image or a file. Only variables of type string can have one; elsewhere it
 * is an object like any other. It cannot satisfy a schema that says what the text has to be.
 */
function isMediaFor(schema: VariableSchema, value: unknown): boolean {
  if (typeof value !== 'object' || schema.type !== 'string') return false;
  if (!isContentItem(value) || value.type === 'input_text') return false;
  return ['enum', 'const', 'pattern', 'format'].every((keyword) => !Object.hasOwn(schema, keyword));
}

function findUnknownNames(given: JsonObject, declarations: Declarations): readonly Issue[] {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declarations, name));
  return unknown.slice(0, unknownNamesMax).map((name) => {
    const nearest = nearestName(name, Object.keys(declarations));
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    return { path: pointerSegment(name), message: `is not a variable of the preset${hint}` };
  });
}

/** Whether there are more than `max` values inside a value, at any depth. */
function hasMoreValues(value: JsonObject, max: number): boolean {
  let left = max;
  const count = (container: object): void => {
    for (const item of Object.values(container)) {
      left -= 1;
      if (left < 0) return;
      if (typeof item === 'object' && item !== null) count(item);
    }
  };
  count(value);
  return left < 0;
}
