import { Type } from 'typebox';
import type { IdeaPool } from './idea-pool.ts';
import type { Idea } from './ideas.ts';

const sequencesMax = 4;

/** `stop` of chat completions and responses; messages has a list without a limit instead. */
export const stopSequences = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { maxItems: sequencesMax }),
]);

export function readStop(stop: unknown, from: string): readonly Idea[] {
  return [{ kind: 'stopSequences', value: Array.isArray(stop) ? stop : [stop], from }];
}

export function writeStop(ideas: IdeaPool): readonly unknown[] | undefined {
  return ideas.takeEach('stopSequences', firstSequences).at(-1);
}

function firstSequences(sequences: readonly unknown[], lose: (part: string) => void): readonly unknown[] {
  for (let place = sequencesMax; place < sequences.length; place += 1) lose(String(place));
  return sequences.slice(0, sequencesMax);
}
