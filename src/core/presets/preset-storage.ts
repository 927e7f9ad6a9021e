/** The ports for presets. `core/storage.ts` says what holds for every method. */

import type { Actor } from '../organization/actor.ts';
import type { WorkspaceAddress } from '../organization/workspace.ts';
import type { Page } from '../page.ts';
import type { Draft, DraftSummary } from './draft.ts';
import type {
  AuthoredVersion,
  CaseReference,
  CurrentCases,
  Preset,
  PresetAddress,
  PresetCase,
  PresetOverview,
  PresetState,
  PresetStatus,
  PresetSummary,
  PresetVersion,
  VersionTexts,
} from './preset.ts';
import type { PresetChange } from './preset-change.ts';
import type { PresetEvent } from './preset-event.ts';

/** A `PresetAddress` names a preset by its slug or by one of its aliases. */
export interface PresetStore {
  /**
   * Adds the next version and designates it, creating the preset if the name is new. This is the
   * fast path: concurrent calls share one commit. Throws `conflict` if the preset is archived,
   * `not_found` if the organization has no such workspace, and whatever the author's authorization
   * throws.
   */
  createVersion(version: NewVersion): Promise<Preset>;
  /**
   * Locks the preset, passes its state to `decide` (`undefined` if it does not exist), and stores
   * the returned change with its events. If `decide` returns `undefined`, nothing is stored.
   * Returns the preset as it is afterwards; `undefined` if it still does not exist. Throws
   * `not_found` if the organization has no such workspace, `conflict` if the idempotency key was
   * used for a different request or another preset has a name that the change adds.
   */
  change(
    address: PresetAddress,
    actor: Actor,
    decide: (current: PresetState | undefined, cases: CurrentCases) => PresetChange | undefined,
    idempotencyKey?: IdempotencyKey,
    /**
     * The cases that the change is about. `decide` gets the names of all cases and the contents of
     * these. Without it, cases are not read, and `decide` gets none.
     */
    caseNames?: readonly string[],
  ): Promise<ChangedPreset | undefined>;
  /** Returns the preset with its designated version; `undefined` if there is none. */
  find(address: PresetAddress): Promise<Preset | undefined>;
  /** Returns the preset without any version's content; `undefined` if there is none. */
  state(address: PresetAddress): Promise<PresetState | undefined>;
  /**
   * Lists presets, most recently updated first. Returns `undefined` if there is no such workspace,
   * and an empty page past the end. The count can lag behind the page while presets are being
   * changed. Words of tags and versions are found only once they are indexed, about a second after
   * the change; all other filters apply at once.
   */
  list(workspace: WorkspaceAddress, filter: PresetFilter, page: Page): Promise<PresetPage | undefined>;
  /**
   * Indexes the tags and versions of all presets whose words changed, and returns the number of
   * these presets. Runs in the background after every change.
   */
  index(): Promise<number>;
  /**
   * Adds model and last editor to listed presets, in their order. Both come from a version and an
   * event, which never change, so the result matches the moment when the presets were listed.
   */
  overviews(presets: readonly PresetSummary[]): Promise<readonly PresetOverview[]>;
  /**
   * Lists presets after a slug, in slug order. Empty past the end, or if there is no such
   * workspace.
   */
  listBySlug(workspace: WorkspaceAddress, afterSlug: string, limit: number): Promise<readonly PresetState[]>;
  /** Lists versions, oldest first. Empty past the end, or if there is no such preset. */
  versions(presetId: string, page: Page): Promise<readonly PresetVersion[]>;
  /** Like `versions`, with the email address of each creator. */
  authoredVersions(presetId: string, page: Page): Promise<readonly AuthoredVersion[]>;
  /**
   * Lists events, newest first, up to `preset.revision`: events added after the preset was read do
   * not shift the page. The offset must be below the revision.
   */
  events(preset: PresetState, page: Page): Promise<readonly PresetEvent[]>;
}

export interface NewVersion
  extends PresetAddress,
    VersionTexts,
    Pick<PresetVersion, 'dialect' | 'createdAt'> {
  /** The id of the preset if the slug is new. An existing preset keeps its id. */
  readonly presetId: string;
  readonly versionId: string;
  readonly author: Actor;
}

/** Makes a change happen at most once, however often a client retries it. */
export interface IdempotencyKey {
  readonly key: string;
  /** Distinguishes a retry from a different request that reuses the key. */
  readonly requestHash: string;
  readonly at: string;
  /** Keys stored before this time are expired and can be used again. */
  readonly expiredBefore: string;
}

export interface ChangedPreset {
  readonly preset: Preset;
  /** True for a retry: nothing was changed, and `preset` is the result of the first request. */
  readonly isReplay: boolean;
}

export interface PresetFilter {
  readonly statuses: readonly PresetStatus[];
  /**
   * Word prefixes that must all occur in a preset: in its slug, name, description or tags, or in
   * the models, the note or the system prompt of its designated version. `undefined` matches every
   * preset; an empty list matches none.
   */
  readonly words: readonly string[] | undefined;
  /** Tags that a preset must have, all of them. */
  readonly tags?: readonly string[] | undefined;
}

export interface PresetPage<Listed = PresetSummary> {
  readonly presets: readonly Listed[];
  readonly totalCount: number;
  /**
   * False when a search matches so many presets that counting stopped early: `totalCount` is then a
   * minimum.
   */
  readonly isTotalExact: boolean;
}

/** Test cases of presets. `PresetStore.change` changes them. */
export interface CaseStore {
  /**
   * Returns the current cases by preset id, sorted by name. Presets that never had a case are not
   * in the result.
   */
  current(presetIds: readonly string[]): Promise<ReadonlyMap<string, readonly CaseReference[]>>;
  /** Reads states of cases, current or not, sorted by name. Skips unknown ones. */
  read(presetId: string, references: readonly CaseReference[]): Promise<readonly PresetCase[]>;
  /**
   * Finds a case as it was right after the event with this number, by the name it had then; without
   * a number, as it is now. `undefined` if the preset had none with this name.
   */
  find(presetId: string, name: string, eventNumber?: number): Promise<PresetCase | undefined>;
}

/** Unsaved work on presets. Each person has at most one draft of a preset. */
export interface DraftStore {
  /** `undefined` if the person has none. */
  find(presetId: string, userId: string): Promise<Draft | undefined>;
  /** Returns those of these presets that the person has a draft of. */
  presetsWithDraft(userId: string, presetIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Lists the drafts of a preset, most recently changed first; empty past the end. */
  list(
    presetId: string,
    page: Page,
  ): Promise<{ readonly drafts: readonly DraftSummary[]; readonly totalCount: number }>;
  /**
   * Passes the preset (`undefined` if it does not exist) and the actor's draft of it to `decide`,
   * and stores the draft that it returns. Null deletes the draft, `undefined` changes nothing.
   * Returns the draft as it is afterwards; `undefined` if there is none.
   */
  change(
    address: PresetAddress,
    actor: Actor,
    decide: (preset: PresetState | undefined, current: Draft | undefined) => Draft | null | undefined,
  ): Promise<Draft | undefined>;
}

/** When presets were called. A call is not a change: it has no event and changes no preset. */
export interface PresetCallStore {
  /** `undefined` if the preset was never called. */
  lastCalledAt(presetId: string): Promise<string | undefined>;
  /** Stores when presets were last called, by id. Skips unknown presets and earlier times. */
  recordLastUses(uses: ReadonlyMap<string, string>): Promise<void>;
}
