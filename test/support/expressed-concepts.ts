import type { Dialect } from '../../src/core/presets/preset.ts';
import { conceptParsers as chatCompletionsParsers } from '../../src/dialects/chat-completions/parse-concepts.ts';
import { chatCompletionsRequest } from '../../src/dialects/chat-completions/schema.ts';
import { conceptParsers as messagesParsers } from '../../src/dialects/messages/parse-concepts.ts';
import { messagesRequest } from '../../src/dialects/messages/schema.ts';
import { conceptParsers as responsesParsers } from '../../src/dialects/responses/parse-concepts.ts';
import { responsesRequest } from '../../src/dialects/responses/schema.ts';
import type { Concept, ConceptParsers, ConceptValues } from '../../src/dialects/translate/concepts.ts';
import { samplesOf } from './schema-samples.ts';

/** Something that a field of a dialect can express, with a value that does. */
export interface ExpressedConcept {
  readonly field: string;
  /** The part of the field that expresses it; undefined if that is the field as a whole. */
  readonly part: string | undefined;
  readonly kind: keyof ConceptValues;
  readonly sample: unknown;
}

export const conceptParsers: Readonly<Record<Dialect, ConceptParsers>> = {
  'chat-completions': chatCompletionsParsers,
  messages: messagesParsers,
  responses: responsesParsers,
};

/**
 * All that the fields of each dialect can express, found by parsing samples of their schemas. It
 * knows new fields and forms as soon as a schema has them.
 */
export const expressedConcepts: Readonly<Record<Dialect, readonly ExpressedConcept[]>> = {
  'chat-completions': conceptsIn(chatCompletionsRequest.properties, 'chat-completions'),
  messages: conceptsIn(messagesRequest.properties, 'messages'),
  responses: conceptsIn(responsesRequest.properties, 'responses'),
};

/** What a value of a field expresses, without what only one dialect can. */
export function parseField(dialect: Dialect, field: string, value: unknown): readonly Concept[] {
  if (value === undefined || value === null) return [];
  const parsed = conceptParsers[dialect][field]?.(value, field) ?? [];
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
