/**
 * The values of variables, as a form holds them and as a call sends them.
 *
 * The form holds text by variable name, so that it survives a change of version. An empty text
 * means that the call does not pass the variable, which then has its default.
 */

import { isSameJson } from '../../../../../src/core/json/json-object.ts';
import { parsePointer } from '../../../../../src/core/json/json-pointer.ts';
import { isRawNumber } from '../../../../../src/core/json/json-text.ts';
import type {
  VariableSchema,
  VariableType,
} from '../../../../../src/dialects/presets/extension/variable-schema.ts';
import { ApiError, type Issue } from '../../../api/api-error.ts';
import { parseExactJson } from '../../../api/exact-json.ts';
import { capitalize } from '../../../components/text.ts';
import type { VariableTexts } from '../../../features/runs/run-state.ts';
import { isPlainJsonObject, type JsonObject } from '../../../features/version-content/config-values.ts';
import { type Variable, valueAsText } from '../../../features/version-content/describe-variable.ts';

interface ReadVariables {
  /** The variables that a call passes. */
  readonly values: JsonObject;
  /** Corrections to make in a text, by variable name. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Reads the form. The server checks everything but the type. */
export function readVariables(variables: readonly Variable[], texts: VariableTexts): ReadVariables {
  const values: [name: string, value: unknown][] = [];
  const problems = new Map<string, string>();
  for (const { name, schema, isRequired } of variables) {
    const text = givenText(schema, texts.get(name));
    if (text === undefined) {
      if (isRequired) problems.set(name, choicesOf(schema) ? 'Choose a value.' : 'Enter a value.');
      continue;
    }
    const value = schema.type === 'string' ? text : parseValue(text);
    if (isOfType[schema.type](value)) values.push([name, value]);
    else problems.set(name, typeProblems[schema.type]);
  }
  return { values: Object.fromEntries(values), problems };
}

/** The text of a variable; undefined if it has none, or one that another version allowed. */
export function givenText(schema: VariableSchema, text: string | undefined): string | undefined {
  const choices = choicesOf(schema);
  if (choices !== undefined) return text !== undefined && choices.includes(text) ? text : undefined;
  return text === '' ? undefined : text;
}

/** The values to choose from, as texts; undefined if the user types one. */
export function choicesOf({ type, enum: values, const: constant }: VariableSchema) {
  if (constant !== undefined) return [valueAsText(constant)];
  if (values !== undefined) return values.map(valueAsText);
  return type === 'boolean' ? ['true', 'false'] : undefined;
}

/** Undefined for text that is not JSON. */
function parseValue(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

const isNumber = (value: unknown) => typeof value === 'number' || isRawNumber(value);

const isOfType: Readonly<Record<VariableType, (value: unknown) => boolean>> = {
  string: () => true,
  number: isNumber,
  integer: (value) => isNumber(value) && Number.isInteger(Number(JSON.stringify(value))),
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isPlainJsonObject,
};

const typeProblems: Readonly<Record<VariableType, string>> = {
  string: '',
  number: 'Enter a number, such as 0.5.',
  integer: 'Enter a whole number, such as 3.',
  boolean: 'Choose a value.',
  array: 'Enter a list in JSON, such as ["a", "b"].',
  object: 'Enter an object in JSON, such as {"name": "Ada"}.',
};

/** The server's issues with values, by variable name: "Must have at most 80 characters." */
export function problemsOf(issues: readonly Issue[]): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const { path, message } of issues) {
    const [field, part, name, ...inside] = parsePointer(path);
    if (field !== 'prompt' || part !== 'variables' || name === undefined) continue;
    const sentence = inside.length === 0 ? capitalize(message) : `${inside.join('.')} ${message}`;
    problems.set(name, [problems.get(name), `${sentence}.`].filter(Boolean).join(' '));
  }
  return problems;
}

/** The server's problems with the values that a call sent, as long as the form still has them. */
export function rejectedValues(
  error: unknown,
  sent: JsonObject | undefined,
  values: JsonObject,
): ReadonlyMap<string, string> {
  const problems = error instanceof ApiError ? [...problemsOf(error.issues)] : [];
  return new Map(problems.filter(([name]) => isSameJson(sent?.[name], values[name])));
}

/** Whether every issue is about the value of one of these variables. */
export function areVariableIssues(issues: readonly Issue[], variables: readonly Variable[]): boolean {
  const names = new Set(variables.map(({ name }) => `/prompt/variables/${name}`));
  return issues.length > 0 && issues.every(({ path }) => names.has(path.split('/').slice(0, 4).join('/')));
}
