import type { KeyScope } from '../../core/organization/key-scope.ts';
import type { Rhythm } from '../month-of-calls.ts';
import type { PersonId, Team } from '../people.ts';
import type { PresetStory } from '../preset-story.ts';

/** A workspace of the demo, with everything in it. */
export interface WorkspaceStory {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly team: Team;
  readonly presets: readonly PresetStory[];
  readonly keys: readonly KeyStory[];
}

/** An API key that stays. Its secret is thrown away, so nobody can use it. */
export interface KeyStory {
  readonly name: string;
  readonly owner: PersonId;
  readonly scope: KeyScope;
  /** Slugs of the presets that it is limited to. */
  readonly presets?: readonly string[];
  /**
   * Calls on a working day, by preset, or by preset and label, such as `order-status:canary`.
   * Default: none.
   */
  readonly calls?: Readonly<Record<string, number>>;
  /** Default: office. */
  readonly rhythm?: Rhythm;
  readonly streams?: true;
  /** For a key that calls no preset. */
  readonly usedDaysAgo?: number;
  /** Default: never expires. */
  readonly daysLeft?: number;
}
