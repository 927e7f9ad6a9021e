import { Type } from 'typebox';
import type { ConceptPool } from './concept-pool.ts';
import type { Concept } from './concepts.ts';

const sequencesMax = 4;

/** `stop` of chat completions and responses; messages has a list without a limit instead. */
export const stopSequences = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { maxItems: sequencesMax }),
]);

export function parseStopSequences(stop: unknown, from: string): readonly Concept[] {
  return [{ kind: 'stopSequences', value: Array.isArray(stop) ? stop : [stop], from }];
}

export function writeStopSequences(concepts: ConceptPool): readonly unknown[] | undefined {
  return concepts.takeEach('stopSequences', firstSequences).at(-1);
}

function firstSequences(sequences: readonly unknown[], lose: (part: string) => void): readonly unknown[] {
  for (let place = sequencesMax; place < sequences.length; place += 1) lose(String(place));
  return sequences.slice(0, sequencesMax);
}
