import { Ajv, type Options, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import { summarizeIssues } from './issue-messages.ts';
import { discriminateByTag } from './tagged-unions.ts';
import { createIssueCollector, issuesMax } from './validation-issues.ts';

export interface Validators {
  /** What the framework calls for every schema of a route. */
  readonly compiler: FastifySchemaCompiler<object>;
  /** Compiles one of those that no request has needed so far. False when there is none left. */
  compileNext(): boolean;
}

/**
 * The checks by the schemas of the routes. A value is checked up to its first problem, which is fast; only a value that
 * has one is searched for more. Values are never changed, except that a query is text and becomes numbers. A schema is compiled
 * when it is needed: to compile all of them takes longer than everything else that a start does.
 */
export function createValidators(sharedSchemas: Readonly<Record<string, object>>): Validators {
  const body = createAjv({ coerceTypes: false }, sharedSchemas);
  const text = createAjv({ coerceTypes: true }, sharedSchemas);
  const notCompiled = new Set<() => ValidateFunction>();
  const compiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    // These are text that is checked elsewhere, with better words; their schema is for the document alone.
    if (httpPart === 'params' || httpPart === 'headers') return () => true;
    const ajv = httpPart === 'body' ? body : text;
    let compiled: ValidateFunction | undefined;
    const compile = () => {
      notCompiled.delete(compile);
      compiled ??= ajv.compile(schema);
      return compiled;
    };
    notCompiled.add(compile);
    const collectIssues = createIssueCollector(ajv, sharedSchemas);
    const subject = httpPart === 'body' ? 'The request body' : 'The request';
    return (value: unknown) => {
      const isValid = compiled ?? compile();
      if (isValid(value)) {
        const infinite = httpPart === 'body' ? undefined : findInfiniteNumber(value);
        return infinite === undefined ? { value } : { error: outOfBounds(infinite) };
      }
      const issues = collectIssues(schema, value, isValid.errors?.at(-1));
      const message = `${subject} is not valid: ${summarizeIssues(issues, issues.length < issuesMax)}.`;
      return { error: new PresetdError('invalid_request', message, { issues }) };
    };
  };
  return {
    compiler,
    compileNext() {
      const [next] = notCompiled;
      next?.();
      return notCompiled.size > 0;
    },
  };
}

/** The name of a number that breaks no bound, such as `1e999` in a query becomes. */
function findInfiniteNumber(query: unknown): string | undefined {
  const isInfinite = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);
  return Object.entries(query ?? {}).find(([, value]) => isInfinite(value))?.[0];
}

function outOfBounds(name: string): PresetdError {
  const issue = { path: `/${name}`, message: 'is out of bounds' };
  return new PresetdError('invalid_request', `The request is not valid: ${issue.path} ${issue.message}.`, {
    issues: [issue],
  });
}

function createAjv(options: Options, schemas: Readonly<Record<string, object>>): Ajv {
  const ajv = new Ajv({
    removeAdditional: false,
    useDefaults: false,
    allowUnionTypes: true,
    discriminator: true,
    // The explanation of a problem needs the schema it broke.
    verbose: true,
    // It doubles the time to compile and the code runs no faster.
    code: { optimize: false },
    ...options,
  });
  ajv.addVocabulary(['x-must', 'x-pattern']);
  formats.default(ajv, ['date-time']);
  // Theirs allows a prefix that PostgreSQL does not.
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(discriminateByTag(schema), name);
  return ajv;
}
