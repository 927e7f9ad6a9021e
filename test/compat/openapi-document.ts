import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface OpenapiDocument extends Record<string, unknown> {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: object;
}

export interface DocumentChecks {
  /** Schema violations of a response body, or a message if the status is not documented. */
  responseProblems(operationId: string, status: number, body: unknown): Problems;
  requestProblems(operationId: string, body: unknown): Problems;
  /** Violations of a schema from anywhere in the document. */
  valueProblems(schema: object, value: unknown): Problems;
}

export type Problems = readonly ErrorObject[] | string | null | undefined;

/** Checks real bodies against the schemas, like a client that knows only the document. */
export function checksOf(document: OpenapiDocument): DocumentChecks {
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  formats.default(ajv);
  ajv.addSchema(document, 'document');
  const pointers = new Map(
    operationsOf(document).map(({ path, method, operationId }) => [
      operationId,
      pointerOf('paths', path, method),
    ]),
  );
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const cached = validators.get(pointer);
    if (cached !== undefined) return cached;
    const compiled = ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
    validators.set(pointer, compiled);
    return compiled;
  };
  const problems = (operationId: string, body: unknown, ...part: readonly string[]): Problems => {
    const pointer = `${pointers.get(operationId)}${pointerOf(...part, 'content', 'application/json', 'schema')}`;
    if (resolvePointer(document, pointer) === undefined) return `the document has no ${pointer}`;
    const isValid = validatorAt(pointer);
    return isValid(body) ? null : isValid.errors;
  };
  return {
    responseProblems: (operationId, status, body) => problems(operationId, body, 'responses', String(status)),
    requestProblems: (operationId, body) => problems(operationId, body, 'requestBody'),
    valueProblems: (schema, value) => (ajv.validate(schema, value) ? null : ajv.errors),
  };
}

export function operationsOf({ paths }: OpenapiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
}

/** Every `$ref` at any depth. */
export function refsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(refsOf)];
}

/** Returns undefined if the pointer leads nowhere. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key],
      document,
    );
}

function pointerOf(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
