/** The two envelopes of API responses: a single resource, or a page of them. */

export interface One<T> {
  readonly data: T;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly total_count: number;
  /**
   * False if `total_count` is only a lower bound. Absent from servers before 0.6.0, which always
   * count.
   */
  readonly total_count_exact?: boolean;
}

/** The changed properties in the `before` or `after` of an event, by name. */
export type Facts = Readonly<Record<string, unknown>>;
