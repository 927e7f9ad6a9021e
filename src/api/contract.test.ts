import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { dialects } from '../core/presets/preset.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { contract, schemas } from './contract.ts';
import type { Operation } from './operation.ts';

it.each(dialects)('%s can be called and captured at the path of the dialect', (dialect) => {
  const { path } = dialectOf[dialect].request;
  expect(contract).toHaveProperty([`POST ${path}`, 'dialect'], dialect);
  expect(contract).toHaveProperty([`POST /presets/:slug${path}`]);
});

it('operation ids are unique, since generated clients use them as method names', () => {
  const ids = Object.values(contract).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('every schema that is referred to has a name', () => {
  const references = JSON.stringify([contract, schemas]).matchAll(/"\$ref":"(\w+)#"/g);
  const names = new Set([...references].map(([, name]) => name));
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining([...names, 'Error', 'MessagesError']));
});

it('query parameters refer to no named schema, since their validators do not know any', () => {
  const operations: readonly Operation[] = Object.values(contract);
  expect(JSON.stringify(operations.map(({ query }) => query))).not.toContain('$ref');
});

it('every schema is valid JSON Schema, which the server does not check at startup', () => {
  const ajv = new Ajv({ strict: false, logger: false });
  const operations: Readonly<Record<string, Operation>> = contract;
  const parts = Object.entries(operations).flatMap(([route, { body, query }]) => [
    [`${route} body`, body ?? {}] as const,
    [`${route} query`, query ?? {}] as const,
  ]);
  const invalid = [...Object.entries(schemas), ...parts].filter(([, schema]) => !ajv.validateSchema(schema));
  expect(invalid.map(([name]) => name)).toEqual([]);
});
