import fc from 'fast-check';
import { type OpenapiDocument, operationsOf, resolvePointer } from '../compat/openapi-document.ts';
import type { FuzzedServer } from './fuzzed-server.ts';
import type { FuzzedRoute } from './malformed-requests.ts';
import { pathWith } from './path-with.ts';
import { type Schema, valuesOf } from './schema-values.ts';
import { seed } from './seed.ts';

const pages = ['/', '/docs', '/docs/json', '/openapi.json', '/metrics', '/presets/x', '/assets/x'];

/** Every operation of the document, with the names of existing objects, and all other pages. */
export function createRoutes({
  document,
  names,
}: Pick<FuzzedServer, 'document' | 'names'>): () => readonly FuzzedRoute[] {
  const bodies = bodiesOf(document);
  const operations = operationsOf(document).map(({ method, path, operationId, requestBody }) => ({
    method: method.toUpperCase(),
    path,
    bodies: bodies.get(operationId) ?? [],
    contentType: Object.keys(requestBody?.content ?? {})[0] ?? 'application/json',
  }));
  const others = pages.map((path) => ({ method: 'GET', path, bodies: [], contentType: 'text/html' }));
  return () => [
    ...operations.map((route) => ({
      ...route,
      path: pathWith(route.path, (parameter) => names[parameter]?.[0] ?? 'x'),
    })),
    ...others,
  ];
}

/** Generating bodies is slow, so each operation gets a few that are reused. */
function bodiesOf(document: OpenapiDocument): ReadonlyMap<string, readonly string[]> {
  const resolve = (ref: string) => resolvePointer(document, ref.slice(1)) as Schema;
  return new Map(
    operationsOf(document).map(({ operationId, requestBody }) => {
      const [content] = Object.entries(requestBody?.content ?? {});
      if (content === undefined) return [operationId, []];
      const [type, { schema }] = content;
      const values = fc.sample(valuesOf(schema as Schema, { resolve }), { numRuns: 20, seed });
      return [operationId, values.map((value) => textOf(value, type))];
    }),
  );
}

function textOf(value: unknown, type: string): string {
  if (!type.includes('ndjson')) return JSON.stringify(value);
  return (value as readonly unknown[]).map((line) => JSON.stringify(line)).join('\n');
}
