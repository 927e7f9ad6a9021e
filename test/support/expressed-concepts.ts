import { type Dialect, dialects } from '../../src/core/presets/preset.ts';
import { dialectOf } from '../../src/dialects/dialects.ts';
import type { Concept, ConceptValues } from '../../src/dialects/model/concepts.ts';
import { samplesOf } from './schema-samples.ts';

/** Something that a field of a dialect can express, with a value that does. */
export interface ExpressedConcept {
  readonly field: string;
  /** The part of the field that expresses it; undefined if that is the field as a whole. */
  readonly part: string | undefined;
  readonly kind: keyof ConceptValues;
  readonly sample: unknown;
}

/**
 * All that the fields of each dialect can express, found by parsing samples of their schemas. It
 * knows new fields and forms as soon as a schema has them.
 */
export const expressedConcepts = Object.fromEntries(
  dialects.map((dialect) => [dialect, conceptsIn(dialectOf[dialect].request.schema.properties, dialect)]),
) as Readonly<Record<Dialect, readonly ExpressedConcept[]>>;

/** What a value of a field expresses, without what only one dialect can. */
export function parseField(dialect: Dialect, field: string, value: unknown): readonly Concept[] {
  if (value === undefined || value === null) return [];
  const parsed = dialectOf[dialect].concepts.parsers[field]?.(value, field) ?? [];
  return parsed.filter(({ kind }) => kind !== 'field' && kind !== 'dialectSpecific');
}

function conceptsIn(
  properties: Readonly<Record<string, object>>,
  dialect: Dialect,
): readonly ExpressedConcept[] {
  const found = Object.entries(properties).flatMap(([field, schema]) =>
    samplesOf(schema).flatMap((sample) =>
      parseField(dialect, field, sample).map(({ kind, path }) => {
        // Parts of a list are tools, which are a field as a whole.
        const part = Array.isArray(sample) ? undefined : path.split('.')[1];
        return { field, part, kind, sample };
      }),
    ),
  );
  const byIdentity = new Map(found.map((each) => [`${each.field} ${each.part} ${each.kind}`, each]));
  return [...byIdentity.values()];
}
