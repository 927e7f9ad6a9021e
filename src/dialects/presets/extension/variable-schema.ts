import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Issue } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json-object.ts';
import { compilePattern } from '../../../core/text/pattern.ts';
import { truncate } from '../../../core/text/printable.ts';
import { describeType, fixedValues, issueFromError } from '../../../core/validation-messages.ts';

/** The variables of a preset, by name. `findDeclarationIssues` has to find none. */
export type Declarations = Readonly<Record<string, VariableSchema>>;

/**
 * The JSON Schema of a variable or of a part of it. A variable without a default is required. The
 * keywords that are not listed concern only Ajv.
 */
export interface VariableSchema {
  readonly type: VariableType;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: VariableSchema;
  readonly properties?: Readonly<Record<string, VariableSchema>>;
  readonly additionalProperties?: boolean | VariableSchema;
  readonly [keyword: string]: unknown;
}

export type VariableType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

/** The values of the `format` keyword. */
export const formats = ['date', 'date-time', 'email', 'uri', 'uuid'] as const;

/** Bounds the length of an error response. */
const issuesMax = 50;
const messageCharactersMax = 300;

/**
 * Steps that all patterns together may take for one set of values, where a step is one instruction
 * for one character: 50 ms at worst, and enough for 10,000 characters with a typical pattern.
 */
const patternStepsMax = 500_000;

/**
 * Creates a function that finds all issues of variable values, with paths such as `/customer`. It
 * skips variables that are absent. Neither schemas nor values may contain raw numbers.
 */
export function createValidator(declarations: Declarations): (values: JsonObject) => readonly Issue[] {
  let patternStepsLeft = 0;
  const compileBounded = (source: string) => {
    const pattern = compilePattern(source);
    const test = (text: string) => {
      patternStepsLeft -= pattern.size * text.length;
      return patternStepsLeft >= 0 && pattern.test(text);
    };
    return { ...pattern, test };
  };
  const isValid = createAjv(compileBounded).compile({ type: 'object', properties: declarations });
  return (values) => {
    patternStepsLeft = patternStepsMax;
    if (isValid(values)) return none;
    if (patternStepsLeft < 0) return [{ path: '', message: 'take too long to match against their patterns' }];
    return distinct((isValid.errors ?? []).slice(0, issuesMax).map(toIssue));
  };
}

const none: readonly Issue[] = [];

/**
 * A new instance for each preset, because an instance keeps everything that it ever compiled. It
 * takes 15 KiB and half a millisecond.
 */
function createAjv(compile: (source: string) => { test: (text: string) => boolean }): Ajv {
  const ajv = new Ajv({
    strict: true,
    // `findDeclarationIssues` allows less than the meta-schema.
    meta: false,
    validateSchema: false,
    allErrors: true,
    // Errors must carry the violated schema and the value, from which messages are made.
    verbose: true,
    // A field named `constructor` is absent unless the value has it.
    ownProperties: true,
    // 19.99 is a multiple of 0.01.
    multipleOfPrecision: 9,
    code: { optimize: false, regExp: Object.assign(compile, { code: 'unused' }) },
  });
  addFormats.default(ajv, ['date', 'date-time', 'uuid']);
  // The strict expressions for these two backtrack.
  addFormats.default(ajv, { mode: 'fast', formats: ['email', 'uri'] });
  return ajv;
}

/** Adds the type that was sent, because clients may expect numbers in strings to be converted. */
function toIssue(error: ErrorObject): Issue {
  const { path, message } = issueFromError(error, '');
  const isFraction = error.params.type === 'integer' && typeof error.data === 'number';
  const isWrongType =
    error.keyword === 'type' &&
    !isFraction &&
    fixedValues(error.parentSchema as VariableSchema) === undefined;
  const full = isWrongType ? `${message}, not ${describeType(error.data)}` : message;
  return { path, message: truncate(full, messageCharactersMax) };
}

/** A value of the wrong type causes the same message for its type and for its enum. */
function distinct(issues: readonly Issue[]): readonly Issue[] {
  const byText = new Map(issues.map((issue) => [`${issue.path} ${issue.message}`, issue]));
  return [...byText.values()];
}
