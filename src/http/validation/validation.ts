import { Ajv, type Options, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import { discriminateByTag } from './json-schema.ts';
import { createIssueCollector, summarizeIssues } from './validation-issues.ts';

/** Compiling starts after the first requests of a new process have been served. */
const compileAfterMs = 1_000;

/** Pause between two compilations, so that requests in between wait for one at most. */
const compileEveryMs = 50;

/**
 * Validates every request of the app. Validators that no request has needed yet are compiled in the
 * background, so that the first request to each route is not slow; that stops when all are compiled
 * or the app closes.
 */
export function validateRequests(
  app: FastifyInstance,
  sharedSchemas: Readonly<Record<string, object>>,
): void {
  const { compiler, compileNext } = validatorsOf(sharedSchemas);
  app.setValidatorCompiler(compiler);
  let timer: NodeJS.Timeout | undefined;
  const compile = () => {
    if (compileNext()) timer = setTimeout(compile, compileEveryMs).unref();
  };
  app.addHook('onListen', (done) => {
    timer = setTimeout(compile, compileAfterMs).unref();
    done();
  });
  app.addHook('onClose', (_app, done) => {
    clearTimeout(timer);
    done();
  });
}

type Validator = ReturnType<FastifySchemaCompiler<object>>;

export interface Validators {
  /** The framework's validator compiler; called for every schema of every route. */
  readonly compiler: FastifySchemaCompiler<object>;
  /** Compiles one validator that no request has needed yet. Returns whether any are left. */
  compileNext(): boolean;
}

const validatorsBySchemas = new WeakMap<object, Validators>();

/**
 * The validators for these schemas. They depend on nothing else, so that apps in one process share
 * them: compiling takes a second, and tests start hundreds of apps.
 */
export function validatorsOf(sharedSchemas: Readonly<Record<string, object>>): Validators {
  const existing = validatorsBySchemas.get(sharedSchemas);
  if (existing !== undefined) return existing;
  const validators = createValidators(sharedSchemas);
  validatorsBySchemas.set(sharedSchemas, validators);
  return validators;
}

/**
 * Validates requests by the schemas of their routes.
 *
 * A validator starts uncompiled, because compiling all of them takes longer than the rest of startup
 * together. The first request that needs it compiles it, or `compileNext` does. Once compiled it
 * lives as long as the schemas.
 *
 * Validation stops at the first error, which is fast; only then does the issue collector look for
 * all of them. Values are never modified, except that query parameters are coerced from text.
 */
function createValidators(sharedSchemas: Readonly<Record<string, object>>): Validators {
  const bodyAjv = createOnce(() => createAjv({ coerceTypes: false }, sharedSchemas));
  // Query parameters are plain values, which refer to none of the shared schemas.
  const queryAjv = createOnce(() => createAjv({ coerceTypes: true }, {}));
  // In order of registration, so that the routes that are registered first are warmed first.
  const notCompiled = new Set<() => ValidateFunction>();
  const validators = new WeakMap<object, Validator>();
  const compiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    // Checked elsewhere, with better messages. Their schema is for the OpenAPI document only.
    if (httpPart === 'params' || httpPart === 'headers') return () => true;
    const validator = validators.get(schema) ?? createValidator(schema, httpPart);
    validators.set(schema, validator);
    return validator;
  };
  function createValidator(schema: object, httpPart: string | undefined): Validator {
    const ajv = httpPart === 'body' ? bodyAjv : queryAjv;
    let compiled: ValidateFunction | undefined;
    const compile = () => {
      notCompiled.delete(compile);
      compiled ??= ajv().compile(schema);
      return compiled;
    };
    notCompiled.add(compile);
    const collectIssues = createOnce(() => createIssueCollector(ajv(), sharedSchemas));
    const subject = httpPart === 'body' ? 'The request body' : 'The request';
    return (value: unknown) => {
      const isValid = compiled ?? compile();
      if (isValid(value)) {
        const infinite = httpPart === 'body' ? undefined : findInfiniteNumber(value);
        return infinite === undefined ? { value } : { error: outOfBounds(infinite) };
      }
      const issues = collectIssues()(schema, value, isValid.errors?.at(-1));
      const message = `${subject} is not valid: ${summarizeIssues(issues)}.`;
      return { error: new PresetdError('invalid_request', message, { issues }) };
    };
  }
  return {
    compiler,
    compileNext() {
      const [next] = notCompiled;
      next?.();
      return notCompiled.size > 0;
    },
  };
}

/** Adding all schemas to Ajv takes 5 % of startup, and the first requests may not need them. */
function createOnce<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

/**
 * The name of an infinite query parameter; undefined if there is none. `1e999` is coerced to
 * Infinity, which passes Ajv's `minimum` and `maximum`.
 */
function findInfiniteNumber(query: unknown): string | undefined {
  const isInfinite = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);
  return Object.entries(query ?? {}).find(([, value]) => isInfinite(value))?.[0];
}

function outOfBounds(name: string): PresetdError {
  const issue = { path: `/${name}`, message: 'is out of range' };
  return new PresetdError('invalid_request', `The request is not valid: ${issue.path} ${issue.message}.`, {
    issues: [issue],
  });
}

/** For this module, and for tests that save the generated code. */
export function createAjv(options: Options, schemas: Readonly<Record<string, object>>): Ajv {
  const ajv = new Ajv({
    removeAdditional: false,
    useDefaults: false,
    allowUnionTypes: true,
    discriminator: true,
    // Looking for references that can be inlined takes a quarter of the compile time.
    inlineRefs: false,
    // Errors must carry the violated schema, from which messages are made.
    verbose: true,
    // Our schemas do not change at run time; `contract.test.ts` checks them. Checking them here takes a
    // tenth of the startup time.
    validateSchema: false,
    // Optimizing doubles the compile time, and the code runs no faster.
    code: { optimize: false },
    ...options,
  });
  ajv.addVocabulary(['x-must', 'x-pattern']);
  formats.default(ajv, ['date-time']);
  // The format of ajv-formats also allows a `urn:uuid:` prefix, which PostgreSQL rejects.
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(discriminateByTag(schema), name);
  return ajv;
}
