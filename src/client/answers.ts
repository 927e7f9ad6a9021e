/** The two forms in which the server answers with something: one of a kind, or a page of them. */

export interface One<T> {
  readonly data: T;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly total_count: number;
}

/** What an event tells of a state, by name. */
export type Facts = Readonly<Record<string, unknown>>;
