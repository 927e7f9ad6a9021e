import { Ajv, type Options, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import { describeIssues, summarizeIssues } from './request-issues.ts';

/** Listing every problem of a value costs memory in proportion to it; past this size only the first is listed. */
const fullReportBytesMax = 1_048_576;

/**
 * Compiles the schemas of the routes. A value is checked up to its first problem, which is fast; only one that has a
 * problem is checked again for all of them. Values are never changed, except that a query is text and becomes numbers.
 */
export function createValidatorCompiler(
  sharedSchemas: Readonly<Record<string, unknown>>,
): FastifySchemaCompiler<object> {
  const compilers = {
    body: createAjvs({ coerceTypes: false }, sharedSchemas),
    text: createAjvs({ coerceTypes: true }, sharedSchemas),
  };
  return ({ schema, httpPart }) => {
    const { first, all } = httpPart === 'body' ? compilers.body : compilers.text;
    const isValid = first.compile(schema);
    let findAll: ValidateFunction | undefined;
    const subject = httpPart === 'body' ? 'The request body' : 'The request';
    return (value: unknown) => {
      if (isValid(value)) return { value };
      // Compiled when first needed: it takes as long as the rest of the start.
      findAll ??= all.compile(schema);
      const errors = isSmall(value) && !findAll(value) ? findAll.errors : isValid.errors;
      const issues = describeIssues(errors ?? []);
      const message = `${subject} is not valid: ${summarizeIssues(issues)}.`;
      return { error: new PresetdError('invalid_request', message, { issues: issues.slice(0, 100) }) };
    };
  };
}

function createAjvs(options: Options, schemas: Readonly<Record<string, unknown>>): { first: Ajv; all: Ajv } {
  const fixed: Options = {
    removeAdditional: false,
    useDefaults: false,
    allowUnionTypes: true,
    verbose: true,
    code: { optimize: false },
    ...options,
  };
  const ajvs = { first: new Ajv(fixed), all: new Ajv({ ...fixed, allErrors: true }) };
  for (const ajv of Object.values(ajvs)) {
    formats.default(ajv, ['uuid', 'date-time']);
    for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema as object, name);
  }
  return ajvs;
}

function isSmall(value: unknown): boolean {
  return JSON.stringify(value)?.length < fullReportBytesMax;
}
