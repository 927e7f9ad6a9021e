import type { Concept, ConceptValues } from './concepts.ts';

/** The concepts of a preset, from which a dialect takes what it has words for. */
export interface ConceptPool {
  /** Undefined where the preset does not have it. Of several, the last counts. */
  readonly see: <Kind extends keyof ConceptValues>(kind: Kind) => ConceptValues[Kind] | undefined;
  /** As `see`, and what is taken does not count as lost. */
  readonly take: <Kind extends keyof ConceptValues>(kind: Kind) => ConceptValues[Kind] | undefined;
  /** Takes each concept of a kind for which there are words; parts that these leave out are told to `lose`. */
  readonly takeEach: <Kind extends keyof ConceptValues, Words>(
    kind: Kind,
    express: (value: ConceptValues[Kind], lose: (part: string) => void) => Words | undefined,
  ) => readonly Words[];
  /** The names of what was not taken. */
  readonly lost: () => readonly string[];
}

export function createConceptPool(concepts: readonly Concept[]): ConceptPool {
  const taken = new Set<Concept>();
  const lostParts: string[] = [];
  const allOf = <Kind extends keyof ConceptValues>(kind: Kind) =>
    concepts.filter((concept): concept is Extract<Concept, { kind: Kind }> => concept.kind === kind);
  const see = <Kind extends keyof ConceptValues>(kind: Kind) =>
    allOf(kind).at(-1)?.value as ConceptValues[Kind] | undefined;
  return {
    see,
    take: (kind) => {
      for (const concept of allOf(kind)) taken.add(concept);
      return see(kind);
    },
    takeEach: (kind, express) =>
      allOf(kind).flatMap((concept) => {
        const words = express(concept.value as ConceptValues[typeof kind], (part) => {
          lostParts.push(`${concept.from}.${part}`);
        });
        if (words === undefined) return [];
        taken.add(concept);
        return [words];
      }),
    lost: () => [...concepts.filter((concept) => !taken.has(concept)).map(({ from }) => from), ...lostParts],
  };
}
