import { dialectOf } from '../dialects/dialects.ts';
import { describeAccess } from './access.ts';
import { contract, schemas } from './contract.ts';
import { errorResponses } from './errors.ts';
import { healthOperations } from './health.ts';
import {
  errorStatuses,
  hasHeader,
  isOptionalBody,
  type Operation,
  type Success,
  splitRoute,
  type Tag,
} from './operation.ts';

/** The OpenAPI document, generated from the contract, so that it cannot drift from the code. */
export function createOpenapiDocument(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'presetd',
      version,
      description:
        'Versioned LLM presets, compatible with the OpenRouter API. Send a key as a bearer token or in the `x-api-key` header. ' +
        'Writes reject unknown query parameters with 400; reads reject only near-misses of known names. ' +
        "A preset's live version is called `designated_version` in the API.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      schemas: mapValues(schemas, publish),
    },
    paths: createPaths(),
    security: [{ key: [] }, { 'x-api-key': [] }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
  };
}

const tagDescriptions: Readonly<Record<Tag, string>> = {
  Presets: 'Capture requests as preset versions; read, compare, label, roll back, export and import them.',
  Keys: 'Issue, rotate and revoke keys.',
  Workspaces: 'Workspaces separate teams: each has its own presets and keys.',
  Organization: 'Members and the audit log.',
  Inference:
    'Call models and presets with OpenAI or Anthropic requests, which presetd forwards to an upstream.',
  Usage: 'What calls cost and how they behaved: single generations, and sums of them.',
  Account: 'The person behind a request: who they are, how they sign in, and where.',
  Operation: 'For load balancers and monitoring. No key required.',
};

function createPaths(): object {
  const paths: Record<string, Record<string, object>> = {};
  const add = (prefix: string, route: string, operation: Operation) => {
    const { method, path } = splitRoute(route);
    const published = prefix + path.replaceAll(/:(\w+)/g, '{$1}');
    paths[published] = { ...paths[published], [method.toLowerCase()]: describe(route, operation) };
  };
  for (const [route, operation] of Object.entries(healthOperations)) add('', route, operation);
  for (const [route, operation] of Object.entries(contract)) add('/api/v1', route, operation);
  return paths;
}

function describe(route: string, operation: Operation): object {
  const { id, tag, summary, params, query, headers, body, dialect, access } = operation;
  const { response } = operation;
  const errorSchema = dialect === undefined ? 'Error' : dialectOf[dialect].errors.schemaName;
  const description = [operation.description, describeAccess(access, operation.accessFor)]
    .filter(Boolean)
    .join(' ');
  const isCacheable = splitRoute(route).method === 'GET' && hasHeader(operation, 'if-none-match');
  const parameters = [
    ...parametersIn('query', query),
    ...parametersIn('path', params),
    ...parametersIn('header', headers),
  ];
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(description !== '' && { description }),
    ...(body && { requestBody: requestBodyOf(body, operation.bodyTypes) }),
    ...(parameters.length > 0 && { parameters }),
    ...(access === 'public' && { security: [] }),
    responses: {
      [response.status ?? 200]: responseOf(response),
      ...(isCacheable && { 304: { description: 'Your cached copy is current.' } }),
      ...mapValues(errorResponses(errorSchema, errorStatuses(route, operation)), responseOf),
    },
  };
}

/** The keywords of a schema that mean something else, or elsewhere, in the document. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

function parametersIn(place: 'query' | 'path' | 'header', fields: Schema = {}): readonly object[] {
  const { properties = {}, required = [] } = fields;
  return Object.entries(properties).map(([name, { description, examples, ...schema }]) => ({
    schema: publish(schema),
    ...(examples && { example: examples[0] }),
    in: place,
    name,
    required: required.includes(name),
    ...(description !== undefined && { description }),
  }));
}

function requestBodyOf(body: Schema, types: readonly string[] = ['application/json']): object {
  const { description } = body;
  return {
    required: !isOptionalBody(body),
    content: Object.fromEntries(types.map((each) => [each, { schema: publish(body) }])),
    ...(description !== undefined && { description }),
  };
}

function responseOf({ description, headers, body, content }: Success): object {
  const schema: Schema | undefined = body;
  const json = schema && ('$ref' in schema ? schema : { description, ...schema });
  const inJson = json !== undefined && json.type !== 'null' ? { 'application/json': json } : undefined;
  const schemas = inJson || content ? { ...inJson, ...content } : undefined;
  return {
    description,
    ...(headers && {
      headers: mapValues(headers, ({ description, ...schema }: Schema) => ({ schema, description })),
    }),
    ...(schemas && { content: mapValues(schemas, (schema) => ({ schema: publish(schema) })) }),
  };
}

/** As the document writes a schema: references by path, and `documentedPattern` as `pattern`. */
function publish(schema: Schema): object;
function publish(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => publish(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => publishKeyword(keyword, value)));
}

function publishKeyword(keyword: string, value: unknown): readonly [string, unknown] {
  switch (keyword) {
    case '$ref':
      return [keyword, `#/components/schemas/${String(value).replace(/#$/, '')}`];
    case 'x-pattern':
      return ['pattern', value];
    // Client generators understand `enum` better.
    case 'const':
      return ['enum', [value]];
    case 'enum':
    case 'default':
    case 'examples':
      return [keyword, value];
    case 'properties':
      return [keyword, mapValues(value as Readonly<Record<string, Schema>>, publish)];
    // Only records have it, whose pattern matches every name. Client generators do not know it.
    case 'patternProperties':
      return ['additionalProperties', publish(Object.values(value as object)[0])];
    default:
      return [keyword, publish(value as Schema)];
  }
}

function mapValues<Value>(values: Readonly<Record<string, Value>>, map: (value: Value) => object): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
