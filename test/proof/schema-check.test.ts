import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contract, schemas } from '../../src/api/contract.ts';
import type { Operation } from '../../src/api/operation.ts';
import { findViolation } from '../../src/http/validation/schema-check.ts';
import { anyJson } from './any-json.ts';
import { mutated } from './mutated.ts';
import { valuesOf } from './schema-values.ts';
import { runs } from './seed.ts';

const ajv = new Ajv({ strict: false, validateSchema: false, inlineRefs: false, code: { optimize: false } });
formats.default(ajv, ['date-time']);
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema, name);

const resolve = (ref: string) => schemas[ref.replace('#', '')] as object;
const operations: readonly Operation[] = Object.values(contract);
/** Many relayed calls share a schema. */
const bodies = new Map(
  operations.map(({ id, body = {} }) => [JSON.stringify(body), [id, body as object] as const]),
);

it.each([...bodies.values()].filter(([, body]) => Object.keys(body).length > 0))(
  'the body of %s is accepted and rejected as by Ajv',
  (_, schema) => {
    const accepts = ajv.compile(schema);
    const valid = valuesOf(schema, { resolve });
    const verdicts = new Set<boolean>();
    fc.assert(
      fc.property(fc.oneof(valid, mutated(valid), mutated(mutated(valid)), anyJson), (generated) => {
        const value: unknown = JSON.parse(JSON.stringify(generated));
        const isValid = findViolation(schema, value) === undefined;
        verdicts.add(isValid);
        expect(isValid).toBe(accepts(value));
      }),
      runs(60, 20_000),
    );
    expect(verdicts.size).toBe(2);
  },
);
