import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify';
import { schemas } from '../../api/contract.ts';
import { PresetdError } from '../../core/errors.ts';
import type { JsonSchema } from './json-schema.ts';
import { findViolation } from './schema-check.ts';
import { collectIssues, summarizeIssues } from './validation-issues.ts';

/**
 * How the framework validates requests and serializes responses. Without these, it would load Ajv
 * and a compiler of serializers. Handlers return known shapes, so that `JSON.stringify` suffices
 * (docs/decisions/0004).
 *
 * The cast is needed because the framework's types expect the compilers of these two.
 */
export const schemaController = {
  compilersFactory: { buildValidator: () => compileValidator, buildSerializer: () => () => JSON.stringify },
} as object as NonNullable<FastifyServerOptions['schemaController']>;

/** Called for every schema of every route, which are of bodies and queries. */
const compileValidator: FastifySchemaCompiler<JsonSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'body') return (body) => resultOf(findError(schema, body, 'The request body'), body);
  return (text) => {
    const query = coerceQuery(schema, text);
    return resultOf(findError(schema, query, 'The request'), query);
  };
};

function resultOf(error: Error | undefined, value: unknown) {
  return error === undefined ? { value } : { error };
}

/**
 * Validates a value by a named schema of the contract, as if it were the body of a request. Returns
 * undefined if it is valid.
 */
export function findSchemaError(name: string, value: unknown): Error | undefined {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`There is no schema ${name}.`);
  return findError(schema, value, 'The request body');
}

/** Validation stops at the first violation; only then are all issues collected. */
function findError(schema: JsonSchema, value: unknown, subject: string): PresetdError | undefined {
  const violation = findViolation(schema, value);
  if (violation === undefined) return undefined;
  const issues = collectIssues(schema, value, violation);
  const message = `${subject} is not valid: ${summarizeIssues(issues)}.`;
  return new PresetdError('invalid_request', message, { issues });
}

/** Parses numbers and booleans. Other text stays as it is, for validation to reject. */
function coerceQuery({ properties = {} }: JsonSchema, query: unknown): object {
  return Object.fromEntries(
    Object.entries(query ?? {}).map(([name, text]) => [name, coerce(properties[name]?.type, text)]),
  );
}

function coerce(type: JsonSchema['type'], text: unknown): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  // An empty text would become 0.
  const number = type === 'integer' && text !== '' ? Number(text) : Number.NaN;
  return Number.isNaN(number) ? text : number;
}
