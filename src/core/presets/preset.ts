import type { Details } from '../event.ts';
import type { WorkspaceAddress } from '../organization/workspace.ts';

/**
 * The wire format of a request: OpenAI Chat Completions, Anthropic Messages or OpenAI Responses.
 */
export type Dialect = 'chat-completions' | 'messages' | 'responses';

export const dialects: readonly Dialect[] = ['chat-completions', 'messages', 'responses'];

export type PresetStatus = 'active' | 'disabled' | 'archived';

export const presetStatuses: readonly PresetStatus[] = ['active', 'disabled', 'archived'];

/** The part of a request body that a preset version stores. */
export interface CapturedPreset {
  /** The captured request fields, in the order of the request. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly systemPrompt: string | null;
  /** The request's `presetd` object without `designate`; null if nothing is left. */
  readonly extension: Extension | null;
  /** Whether the version goes live. The first version of a preset always does. */
  readonly designate: boolean;
  /** Top-level fields that the dialect does not define, in the order of the request. */
  readonly ignoredFields: readonly string[];
}

/**
 * The additions of presetd to a captured request: a note, variables, messages and a policy. Rules
 * only read the note; `dialects/presets/extension` gives the rest its meaning.
 */
export interface Extension {
  readonly note?: string;
  readonly [part: string]: unknown;
}

/** The length of a note: enough for a sentence or two, short enough for a list. */
export const noteCharactersMax = 500;

export const presetNameCharactersMax = 200;

/**
 * For config, system prompt and extension together: generous for a prompt, small enough to cache
 * many of them.
 */
export const versionBytesMax = 1_048_576;

/** The size of a draft. Indented JSON with escapes is larger than the version captured from it. */
export const draftBytesMax = 4 * versionBytesMax;

/** One immutable version of a preset. It is never changed or deleted. */
export interface PresetVersion {
  readonly id: string;
  readonly presetId: string;
  readonly version: number;
  readonly dialect: Dialect;
  /**
   * JSON text, serialized once at capture. It is never reserialized, so every response has the same
   * bytes.
   */
  readonly configJson: string;
  readonly systemPrompt: string | null;
  /** JSON text of the version's `Extension`, also serialized once; null if it has none. */
  readonly extensionJson: string | null;
  readonly creatorId: string;
  readonly createdAt: string;
}

/** The content of a version. */
export type VersionTexts = Pick<PresetVersion, 'configJson' | 'systemPrompt' | 'extensionJson'>;

/** A version sent with a call, to run it before it is saved. */
export interface DraftVersion extends VersionTexts, Pick<PresetVersion, 'dialect'> {
  readonly version: 'draft';
}

/** A version with the email address of its creator; null if the user is unknown. */
export interface AuthoredVersion extends PresetVersion {
  readonly creatorEmail: string | null;
}

/** Identifies a preset. A workspace that belongs to another organization counts as missing. */
export interface PresetAddress extends WorkspaceAddress {
  /** The slug, or an alias. */
  readonly slug: string;
}

export interface PresetRecord {
  readonly id: string;
  readonly workspaceId: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: PresetStatus;
  readonly statusUpdatedAt: string | null;
  readonly creatorUserId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The highest version number. After a rollback it is larger than the designated one. */
  readonly latestVersion: number;
  /** Counts the changes of the preset. Also the number of its last event, and part of its ETag. */
  readonly revision: number;
}

/** The details that an edit replaces as they are, each with the kind of event that records it. */
export const detailEvents = {
  name: 'preset.renamed',
  description: 'preset.described',
} as const satisfies Details<PresetRecord, `preset.${string}`>;

/** A preset with its designated (live) version: the one that calls use unless they pin another. */
export interface Preset extends PresetRecord {
  readonly designatedVersion: PresetVersion;
}

/** A preset without the content of its versions. */
export interface PresetState extends PresetRecord {
  readonly designatedNumber: number;
  readonly labels: Labels;
  readonly aliases: Aliases;
  /** Sorted, each once. */
  readonly tags: readonly string[];
}

/** A preset without the content of its versions, as storage lists it. */
export interface PresetSummary extends PresetState {
  readonly designatedVersionId: string;
}

/** A preset as `GET /presets` lists it. */
export interface PresetOverview extends PresetSummary {
  /** The first model of the designated version, truncated if very long; null if it names none. */
  readonly model: string | null;
  /** The user who made the last change. */
  readonly updatedBy: string;
  readonly updatedByEmail: string | null;
  /** Null if they have entered none. */
  readonly updatedByName: string | null;
  /** When an API key last called the preset, up to a minute late; null if none has. */
  readonly lastCalledAt: string | null;
}

export interface Label {
  readonly version: number;
  readonly updatedAt: string;
}

/** Sorted by label. */
export type Labels = ReadonlyMap<string, Label>;

export interface Alias {
  readonly createdAt: string;
}

/** Sorted by alias. */
export type Aliases = ReadonlyMap<string, Alias>;

/** Names a state of a test case, which never changes. */
export interface CaseReference {
  readonly name: string;
  /** The number of the event that stored it. */
  readonly eventNumber: number;
}

/** A test case; see `case.ts`. */
export interface PresetCase extends CaseReference {
  /** JSON text of variables, messages and note, serialized once. */
  readonly contentJson: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
  readonly updatedByEmail: string | null;
}

/** The current cases of a preset, as far as rules need them. */
export interface CurrentCases {
  readonly names: ReadonlySet<string>;
  /** Contents by name, only of the cases that the change is about. */
  readonly contents: ReadonlyMap<string, string>;
}

/** A row to add to the history of a name. Without content, the case is removed. */
export interface CaseRecord {
  readonly name: string;
  readonly number: number;
  readonly contentJson: string | null;
}

/** Written to the first line of an export. Importers reject a number that they do not know. */
export const exportFormat = 1;
