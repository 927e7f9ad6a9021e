/** The two forms in which the server answers with something: one of a kind, or a page of them. */

export interface One<T> {
  readonly data: T;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly total_count: number;
  /** False where there are that many at least. Servers before 0.6.0 always count, and do not say so. */
  readonly total_count_exact?: boolean;
}

/** What an event tells of a state, by name. */
export type Facts = Readonly<Record<string, unknown>>;
