import type { Concept, ConceptValues } from './concepts.ts';

/**
 * The concepts of a preset while they are written in another dialect.
 *
 * Translating a config creates one pool from the parsed concepts. The writer of the target dialect
 * consumes what it can express; afterwards, `dropped` names everything that it could not. The pool
 * is thrown away with the translation.
 */
export interface ConceptPool {
  /** The last value of a kind, without consuming it; undefined if there is none. */
  readonly peek: <Kind extends keyof ConceptValues>(kind: Kind) => ConceptValues[Kind] | undefined;
  /** Like `peek`, and marks all concepts of the kind as expressed. */
  readonly consume: <Kind extends keyof ConceptValues>(kind: Kind) => ConceptValues[Kind] | undefined;
  /**
   * Consumes each concept of a kind that `write` returns a value for, and returns these values.
   * `write` calls `drop` for parts that it cannot express.
   */
  readonly consumeEach: <Kind extends keyof ConceptValues, Written>(
    kind: Kind,
    write: (value: ConceptValues[Kind], drop: (part: string) => void) => Written | undefined,
  ) => readonly Written[];
  /** The paths of all concepts that were not consumed, and of dropped parts. */
  readonly dropped: () => readonly string[];
}

export function createConceptPool(concepts: readonly Concept[]): ConceptPool {
  const consumed = new Set<Concept>();
  const droppedParts: string[] = [];
  const allOf = <Kind extends keyof ConceptValues>(kind: Kind) =>
    concepts.filter((concept): concept is Extract<Concept, { kind: Kind }> => concept.kind === kind);
  const peek = <Kind extends keyof ConceptValues>(kind: Kind) =>
    allOf(kind).at(-1)?.value as ConceptValues[Kind] | undefined;
  return {
    peek,
    consume: (kind) => {
      for (const concept of allOf(kind)) consumed.add(concept);
      return peek(kind);
    },
    consumeEach: (kind, write) =>
      allOf(kind).flatMap((concept) => {
        const written = write(concept.value as ConceptValues[typeof kind], (part) => {
          droppedParts.push(`${concept.path}.${part}`);
        });
        if (written === undefined) return [];
        consumed.add(concept);
        return [written];
      }),
    dropped: () => [
      ...concepts.filter((concept) => !consumed.has(concept)).map(({ path }) => path),
      ...droppedParts,
    ],
  };
}
