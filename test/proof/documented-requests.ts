import fc from 'fast-check';
import {
  type DocumentChecks,
  type Operation,
  operationsOf,
  type Parameter,
  resolvePointer,
} from '../compat/openapi-document.ts';
import { createRandom, type Random } from '../support/random.ts';
import { apiKey, managementKey } from '../support/server.ts';
import type { FuzzedServer } from './fuzzed-server.ts';
import { mutated } from './mutated.ts';
import { kindOf } from './path-with.ts';
import { type Schema, valuesOf } from './schema-values.ts';
import { seed } from './seed.ts';

export interface DocumentedOperation extends Operation {
  readonly method: string;
  readonly path: string;
}

export interface DocumentedRequest {
  readonly operation: DocumentedOperation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Whether a part of it was mutated; the result may still be valid. */
  readonly isMutated: boolean;
  /** How the request violates the document; undefined if it does not. */
  readonly violation: string | undefined;
}

interface Documented {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
}

const words = ['alpha', 'beta', 'Größe', 'x', 'A longer text of several words', '日本語', 'vendor/model'];
const text = fc.oneof(fc.constantFrom(...words), fc.string({ minLength: 1, maxLength: 20 }));

/**
 * Generates requests from the OpenAPI document and the names of existing objects. Some have one
 * mutated part.
 */
export function createDocumentedRequests(
  { document, names, exported }: Pick<FuzzedServer, 'document' | 'names' | 'exported'>,
  checks: DocumentChecks,
): { readonly operationCount: number; requestOf(index: number): DocumentedRequest } {
  // Deletes come last, because the other operations need the objects, and parts before the whole.
  const rank = ({ method, path }: DocumentedOperation) =>
    method === 'delete' ? 1 / path.split('/').length : 0;
  const operations: readonly DocumentedOperation[] = operationsOf(document).toSorted(
    (one, other) => rank(one) - rank(other),
  );
  const resolve = (ref: string) => resolvePointer(document, ref.slice(1)) as Schema;
  const known = (name: string): fc.Arbitrary<unknown> | undefined => knownFields[name]?.(names);
  const bodies = new Map(
    operations.map(({ operationId, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      return [operationId, schema === undefined ? undefined : valuesOf(schema, { resolve, known, text })];
    }),
  );
  const parameters = new Map<Parameter, fc.Arbitrary<unknown>>();
  return { operationCount: operations.length, requestOf };

  /**
   * Cycles through the operations, alternating keys by round. Two rounds without mutations
   * alternate with two rounds with one mutated part per request. The requests of an operation do
   * not depend on which others there are.
   */
  function requestOf(index: number): DocumentedRequest {
    const operation = operations[index % operations.length] as DocumentedOperation;
    const round = Math.floor(index / operations.length);
    const random = createRandom(seed * 1_000_003 + hash32(operation.operationId) + round);
    const isPlain = round < 2;
    const parts = ['body', ...(operation.parameters ?? []).map(({ name }) => name)];
    const mutatedPart = round % 4 < 2 ? undefined : random.pick(parts);
    const given = (operation.parameters ?? []).filter(
      ({ required, name }) => required || name === mutatedPart || (!isPlain && random.below(8) === 0),
    );
    const values = new Map(
      given.map((parameter) => [
        parameter,
        parameter.name === mutatedPart
          ? random.pick(parameter.in === 'path' ? invalidNames : invalidTexts)
          : parameterText(parameter, operation, isPlain, random),
      ]),
    );
    const valuesIn = (location: string) => [...values].filter(([parameter]) => parameter.in === location);
    const query = valuesIn('query').map(([{ name }, value]) => `${name}=${encodeURIComponent(value)}`);
    const byName = new Map(valuesIn('path').map(([{ name }, value]) => [name, value]));
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(byName.get(name) ?? ''),
    );
    const body =
      (isPlain ? exampleText(operation) : undefined) ?? bodyText(operation, mutatedPart === 'body', random);
    const violation = violationIn(operation, values, body);
    return {
      operation,
      method: operation.method.toUpperCase(),
      path: query.length === 0 ? path : `${path}?${query.join('&')}`,
      headers: {
        ...(operation.security?.length !== 0 && {
          authorization: `Bearer ${round % 2 === 0 ? managementKey : apiKey}`,
        }),
        ...(body !== undefined && {
          'content-type': Object.keys(operation.requestBody?.content ?? {})[0] ?? 'application/json',
        }),
        ...Object.fromEntries(
          valuesIn('header').map(([{ name }, value]) => [name, value.replaceAll(/[^\x20-\x7e]/g, '?')]),
        ),
      },
      body,
      isMutated: mutatedPart !== undefined,
      violation,
    };
  }

  /** Mostly the name of an existing object. */
  function parameterText(
    parameter: Parameter,
    { path }: DocumentedOperation,
    isPlain: boolean,
    random: Random,
  ): string {
    const { name, schema } = parameter;
    const kind = kindOf(path, name);
    const known = names[kind] ?? ['x'];
    if (parameter.in === 'path' && isPlain) return known[0] ?? '';
    if (parameter.in === 'path' && random.below(8) > 0) return random.pick(known);
    if (kind === 'generation' && random.below(4) > 0) return known[0] ?? '';
    if (name === 'workspace_id' && random.below(4) > 0) return names.workspace?.[0] ?? '';
    const usual = usualTexts[name];
    if (usual !== undefined) return random.pick(usual);
    const values = parameters.get(parameter) ?? valuesOf(schema, { resolve, text });
    parameters.set(parameter, values);
    return String(sample(values, random));
  }

  /** The documented example of a body: few generated calls of a model succeed. */
  function exampleText({ tags, requestBody }: DocumentedOperation): string | undefined {
    const schema: Documented | undefined = requestBody?.content['application/json']?.schema;
    if (schema === undefined || !tags?.includes('Inference')) return undefined;
    const { examples }: Documented = schema.$ref === undefined ? schema : resolve(schema.$ref);
    return examples === undefined ? undefined : JSON.stringify(examples[0]);
  }

  function bodyText(
    { operationId, requestBody }: DocumentedOperation,
    isMutated: boolean,
    random: Random,
  ): string | undefined {
    if (requestBody === undefined) return undefined;
    if (requestBody.content['application/x-ndjson'] !== undefined) {
      const lines = exported();
      if (!isMutated) return lines;
      return lines.split('\n').toSpliced(random.below(4), 1).join('\n');
    }
    if (!requestBody.required && random.below(4) === 0) return undefined;
    const values = bodies.get(operationId);
    if (values === undefined) throw new Error(`${operationId} has a body of an unknown type`);
    return JSON.stringify(sample(isMutated ? mutated(values) : values, random));
  }

  function violationIn(
    { operationId, requestBody }: DocumentedOperation,
    values: ReadonlyMap<Parameter, string>,
    body: string | undefined,
  ): string | undefined {
    for (const [parameter, value] of values) {
      if (parameter.in === 'header') continue;
      const problems = checks.valueProblems(parameter.schema, parseAs(parameter.schema, value));
      if (problems !== null) return `${parameter.name} ${JSON.stringify(problems)}`;
    }
    if (body === undefined || requestBody?.content['application/json'] === undefined) return undefined;
    const problems = checks.requestProblems(operationId, JSON.parse(body));
    return problems === null ? undefined : `the body ${JSON.stringify(problems).slice(0, 500)}`;
  }
}

/** Converts the text of a query or path parameter to the type in its schema. */
function parseAs({ type }: { type?: unknown }, value: string): unknown {
  if ((type === 'integer' || type === 'number') && value !== '' && !Number.isNaN(Number(value)))
    return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

const invalidTexts: readonly string[] = [
  ...[
    '',
    ' ',
    '-1',
    '0',
    '1.5',
    '1e999',
    'NaN',
    'x',
    'true ',
    'TRUE',
    '99999999999',
    '\0',
    '..',
    'a b',
    'ö',
    '%',
  ],
  ...[
    '00000000-0000-0000-0000-00000000000',
    '{}',
    '"',
    '*',
    "'",
    '__proto__',
    'x'.repeat(400),
    '2026-13-01T00:00:00Z',
  ],
];

/** Without those that would turn the path into one of another operation. */
const invalidNames = invalidTexts.filter((name) => name !== '' && name !== '..');

/** Meaningful values for parameters whose schema allows any text. */
const usualTexts: Readonly<Record<string, readonly string[]>> = {
  'if-match': ['*', '"x"'],
  'if-none-match': ['*', '"x"'],
  'idempotency-key': ['a', 'b', 'c'],
  against: ['1', '2', 'latest', 'production', '9'],
  actor: ['owner@localhost', 'nobody'],
  kind: ['preset', 'key', 'preset.created'],
  cursor: ['x'],
  q: ['fuzzed', 'two words'],
  confirm_default_workspace_deletion: ['false'],
};

type Names = FuzzedServer['names'];
let created = 0;

/** Values for fields that must refer to an existing object, or be new. */
const knownFields: Readonly<Record<string, (names: Names) => fc.Arbitrary<unknown>>> = {
  user_ids: (names) => fc.constant(null).map(() => [names.member?.[0]]),
  creator_user_id: (names) => fc.constant(null).map(() => names.member?.[0]),
  workspace_id: (names) => fc.constant(null).map(() => names.workspace?.[0]),
  preset: (names) => fc.constant(null).map(() => names.slug?.[0]),
  model: () => fc.constantFrom('vendor/model', 'another/model'),
  version: () => fc.constantFrom(1, 2),
  generation_id: (names) => fc.constant(null).map(() => names.generation?.[0]),
  designated_version: () => fc.constantFrom(1, 2),
  base_version: () => fc.constantFrom(1, 2),
  email: () => fc.constant(null).map(() => `created-${++created}@example.com`),
  slug: () => fc.constant(null).map(() => `created-${++created}`),
};

/** FNV-1a. */
function hash32(text: string): number {
  return [...Buffer.from(text)].reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);
}

function sample<T>(values: fc.Arbitrary<T>, random: Random): T {
  const [value] = fc.sample(values, { numRuns: 1, seed: random.below(2 ** 31) });
  return value as T;
}
