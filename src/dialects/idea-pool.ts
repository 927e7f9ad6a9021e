import type { Idea, IdeaValues } from './ideas.ts';

/** The ideas of a preset, from which a dialect takes what it has words for. */
export interface IdeaPool {
  /** Undefined where the preset does not have it. Of several, the last counts. */
  readonly see: <Kind extends keyof IdeaValues>(kind: Kind) => IdeaValues[Kind] | undefined;
  /** As `see`, and what is taken does not count as lost. */
  readonly take: <Kind extends keyof IdeaValues>(kind: Kind) => IdeaValues[Kind] | undefined;
  /** Takes each idea of a kind for which there are words; parts that these leave out are told to `lose`. */
  readonly takeEach: <Kind extends keyof IdeaValues, Words>(
    kind: Kind,
    express: (value: IdeaValues[Kind], lose: (part: string) => void) => Words | undefined,
  ) => readonly Words[];
  /** The names of what was not taken. */
  readonly lost: () => readonly string[];
}

export function poolIdeas(ideas: readonly Idea[]): IdeaPool {
  const taken = new Set<Idea>();
  const lostParts: string[] = [];
  const allOf = <Kind extends keyof IdeaValues>(kind: Kind) =>
    ideas.filter((idea): idea is Extract<Idea, { kind: Kind }> => idea.kind === kind);
  const see = <Kind extends keyof IdeaValues>(kind: Kind) =>
    allOf(kind).at(-1)?.value as IdeaValues[Kind] | undefined;
  return {
    see,
    take: (kind) => {
      for (const idea of allOf(kind)) taken.add(idea);
      return see(kind);
    },
    takeEach: (kind, express) =>
      allOf(kind).flatMap((idea) => {
        const words = express(idea.value as IdeaValues[typeof kind], (part) => {
          lostParts.push(`${idea.from}.${part}`);
        });
        if (words === undefined) return [];
        taken.add(idea);
        return [words];
      }),
    lost: () => [...ideas.filter((idea) => !taken.has(idea)).map(({ from }) => from), ...lostParts],
  };
}
