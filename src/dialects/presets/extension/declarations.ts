import type { Issue } from '../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-object.ts';
import { pointerSegment } from '../../../core/json/json-pointer.ts';
import { roundNumbers } from '../../../core/json/json-text.ts';
import { nearestName } from '../../../core/text/nearest-name.ts';
import { compilePattern, patternProblem } from '../../../core/text/pattern.ts';
import { describeAlternatives } from '../../../core/validation-messages.ts';
import { isVariableName } from './parse-template.ts';
import { createValidator, type Declarations, formats, type VariableType } from './variable-schema.ts';

const variablesMax = 100;

/** Compiling a validator takes about a tenth of a millisecond per schema. */
const schemasMax = 300;
const schemaLevelsMax = 8;
const charactersMax = 65_536;
const enumValuesMax = 500;

/** For the patterns of all variables together. */
const patternSizeMax = 500;

/**
 * Finds all issues of declarations that were sent at `path`. A declaration is a JSON Schema of a
 * single type with the keywords below. There is no `$ref`, no `anyOf` and no `uniqueItems`, which
 * takes quadratic time.
 */
export function findDeclarationIssues(declarations: unknown, path: string): readonly Issue[] {
  if (!isJsonObject(declarations)) return [{ path, message: 'must be an object' }];
  const names = Object.keys(declarations);
  if (names.length > variablesMax) return [{ path, message: `must have at most ${variablesMax} variables` }];
  if (JSON.stringify(declarations).length > charactersMax)
    return [{ path, message: `must have at most ${charactersMax} characters as JSON` }];
  const plain = roundNumbers(declarations) as JsonObject;
  const check: Check = { path, issues: [], schemasLeft: schemasMax, patternSizeLeft: patternSizeMax };
  checkNamedSchemas(plain, path, 1, check);
  const { issues } = check;
  return [...issues, ...findDefaultIssues(validDeclarations(plain, issues, path), path)];
}

/** The declarations that none of their issues concerns; none at all if an issue is about all. */
export function validDeclarations(
  declarations: JsonObject,
  issues: readonly Issue[],
  path: string,
): Declarations {
  const invalid = new Set(issues.map((issue) => issue.path.slice(path.length).split('/')[1]));
  const valid = Object.entries(declarations as unknown as Declarations).filter(
    ([name]) => !invalid.has(undefined) && !invalid.has(pointerSegment(name).slice(1)),
  );
  return Object.fromEntries(valid);
}

/** The state of one check. */
interface Check {
  /** Where the declarations are. */
  readonly path: string;
  readonly issues: Issue[];
  schemasLeft: number;
  patternSizeLeft: number;
}

/** For variables, and for the fields of an object. */
function checkNamedSchemas(schemas: JsonObject, path: string, level: number, check: Check): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const schemaPath = path + pointerSegment(name);
    // Ajv ignores a schema for `__proto__`.
    if (name === '__proto__')
      check.issues.push({ path: schemaPath, message: 'is a reserved name; use another' });
    else if (!isVariableName(name)) check.issues.push({ path: schemaPath, message: nameRule });
    checkSchema(schema, schemaPath, level, check);
  }
}

const nameRule = 'is not a valid name: use at most 64 letters, digits and underscores, and no digit first';

function checkSchema(schema: unknown, path: string, level: number, check: Check): void {
  const fail = (message: string, keyword = '') => check.issues.push({ path: path + keyword, message });
  check.schemasLeft -= 1;
  if (check.schemasLeft < 0) {
    if (check.schemasLeft === -1)
      check.issues.push({ path: check.path, message: `must have at most ${schemasMax} schemas together` });
    return;
  }
  if (level > schemaLevelsMax) return void fail(`must not nest deeper than ${schemaLevelsMax} levels`);
  if (!isJsonObject(schema)) return void fail('must be a JSON Schema, which is an object');
  const { type } = schema;
  if (!isVariableType(type))
    return void fail(type === undefined ? 'is required' : describeAlternatives([{ enum: types }]), '/type');
  for (const [keyword, value] of Object.entries(schema)) {
    const keywordPath = pointerSegment(keyword);
    const rule = Object.hasOwn(rules[type], keyword) ? rules[type][keyword] : undefined;
    const place = { type, schema, path: path + keywordPath, level, check };
    const problem = rule === undefined ? describeUnknown(keyword, type) : rule(value, place);
    if (problem !== undefined) fail(problem, keywordPath);
  }
}

/** Describes what is wrong with the value of a keyword; undefined if it is valid. */
type Rule = (value: unknown, place: Place) => string | undefined;

interface Place {
  readonly type: VariableType;
  /** The schema that has the keyword. */
  readonly schema: JsonObject;
  /** The path of the keyword. */
  readonly path: string;
  readonly level: number;
  readonly check: Check;
}

const isText: Rule = (value) => (typeof value === 'string' ? undefined : 'must be a string');
const isNumber: Rule = (value) => (typeof value === 'number' ? undefined : 'must be a number');
const isPositive: Rule = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'must be a number greater than 0';
const isCount: Rule = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : 'must be a whole number of at least 0';

const commonRules: Readonly<Record<string, Rule>> = {
  type: () => undefined,
  title: isText,
  description: isText,
  examples: (value) => (Array.isArray(value) ? undefined : 'must be a list'),
  default: (_, { level }) => (level === 1 ? undefined : 'is supported for variables, not for their parts'),
  enum: (value, { type }) => {
    const isValid = Array.isArray(value) && value.every((item) => isOfType(item, type));
    if (!isValid) return `must be a list of values of type ${type}`;
    if (value.length === 0) return 'must have at least one value';
    return value.length > enumValuesMax ? `must have at most ${enumValuesMax} values` : undefined;
  },
  const: (value, { type }) => (isOfType(value, type) ? undefined : `must be of type ${type}`),
};

const numberRules: Readonly<Record<string, Rule>> = {
  ...commonRules,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: isPositive,
};

/** The keywords of each type. */
const rules: Readonly<Record<VariableType, Readonly<Record<string, Rule>>>> = {
  string: {
    ...commonRules,
    minLength: isCount,
    maxLength: isCount,
    format: (value) =>
      formats.some((format) => format === value) ? undefined : describeAlternatives([{ enum: formats }]),
    pattern: (value, { check }) => {
      if (typeof value !== 'string') return 'must be a string';
      // Compiling takes time, so only one pattern may exceed the limit.
      const problem = check.patternSizeLeft < 0 ? undefined : patternProblem(value);
      if (problem !== undefined) return problem;
      if (check.patternSizeLeft >= 0) check.patternSizeLeft -= compilePattern(value).size;
      return check.patternSizeLeft < 0 ? 'makes the patterns of all variables too large' : undefined;
    },
  },
  number: numberRules,
  integer: numberRules,
  boolean: commonRules,
  array: {
    ...commonRules,
    minItems: isCount,
    maxItems: isCount,
    items: (value, { path, level, check }) => {
      checkSchema(value, path, level + 1, check);
      return undefined;
    },
  },
  object: {
    ...commonRules,
    properties: (value, { path, level, check }) => {
      if (!isJsonObject(value)) return 'must be an object';
      checkNamedSchemas(value, path, level + 1, check);
      return undefined;
    },
    required: (value, { schema: { properties } }) => {
      const isField = (name: unknown) =>
        typeof name === 'string' && isJsonObject(properties) && Object.hasOwn(properties, name);
      return Array.isArray(value) && value.every(isField)
        ? undefined
        : 'must be a list of names in properties';
    },
    additionalProperties: (value, { path, level, check }) => {
      if (typeof value !== 'boolean') checkSchema(value, path, level + 1, check);
      return undefined;
    },
  },
};

const types = Object.keys(rules) as readonly VariableType[];

function isVariableType(value: unknown): value is VariableType {
  return types.some((type) => type === value);
}

function isOfType(value: unknown, type: VariableType): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function describeUnknown(keyword: string, type: VariableType): string {
  if (types.some((other) => Object.hasOwn(rules[other], keyword))) return `does not apply to type ${type}`;
  const nearest = nearestName(keyword, Object.keys(rules[type]));
  return `is not a supported keyword${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`;
}

/** A default has to be a valid value of its variable. */
function findDefaultIssues(declarations: Declarations, path: string): readonly Issue[] {
  const defaults = Object.entries(declarations)
    .filter(([, schema]) => Object.hasOwn(schema, 'default'))
    .map(([name, schema]) => [name, schema.default] as const);
  const issues = createValidator(declarations)(Object.fromEntries(defaults));
  return issues.map((issue) => ({ ...issue, path: path + issue.path.replace(/^\/[^/]*/, '$&/default') }));
}
