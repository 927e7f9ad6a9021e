/** Shared by the events of presets and those of the organization. */

/** The user who makes a change, and the key they use. */
export interface Author {
  readonly userId: string;
  /** Null for a change made directly on the database. */
  readonly keyLabel: string | null;
}

/** The changed values, before or after the change. Names and values are part of the API. */
export type EventValues = Readonly<Record<string, string | number | boolean | null>>;
