import { Type } from 'typebox';
import type { ConceptPool } from './concept-pool.ts';
import type { Concept } from './concepts.ts';

/** OpenAI's limit. Messages has none, so a translation may have to drop some. */
const sequencesMax = 4;

/** The field `stop` of chat completions and responses. */
export const stopSequences = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { maxItems: sequencesMax }),
]);

/** Always yields a list, because messages does not accept a single string. */
export function parseStopSequences(stop: unknown, path: string): readonly Concept[] {
  return [{ kind: 'stopSequences', value: Array.isArray(stop) ? stop : [stop], path }];
}

export function writeStopSequences(concepts: ConceptPool): readonly unknown[] | undefined {
  return concepts.consumeEach('stopSequences', firstSequences).at(-1);
}

function firstSequences(sequences: readonly unknown[], drop: (part: string) => void): readonly unknown[] {
  for (let index = sequencesMax; index < sequences.length; index += 1) drop(String(index));
  return sequences.slice(0, sequencesMax);
}
