/** A wire format in which a request can be captured. */
export type Dialect = 'chat-completions' | 'messages' | 'responses';

export const dialects: readonly Dialect[] = ['chat-completions', 'messages', 'responses'];

export type PresetStatus = 'active' | 'disabled' | 'archived';

export const presetStatuses: readonly PresetStatus[] = ['active', 'disabled', 'archived'];

/** What a request body leaves behind when it is captured: the part of it that a preset version stores. */
export interface CapturedPreset {
  /** The kept request fields under their own names, in the order the request gave them. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly systemPrompt: string | null;
  /** Top-level fields that the dialect does not know, in the order the request gave them. */
  readonly ignoredFields: readonly string[];
}

/** Never changed and never deleted once it exists. */
export interface PresetVersion {
  readonly id: string;
  readonly presetId: string;
  readonly version: number;
  readonly dialect: Dialect;
  /** The config as JSON text, made once at capture and carried unparsed, so that it always reads the same. */
  readonly configJson: string;
  readonly systemPrompt: string | null;
  readonly creatorId: string;
  readonly createdAt: string;
}

/** A version for people, who know each other by address. */
export interface AuthoredVersion extends PresetVersion {
  readonly creatorEmail: string | null;
}

/** Where a preset is. A workspace of another organization holds nothing for the caller. */
export interface PresetAddress extends WorkspaceAddress {
  readonly slug: string;
}

export interface WorkspaceAddress {
  readonly organizationId: string;
  readonly workspaceId: string;
}

interface PresetRecord {
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
  /** The number given out last. After a rollback it is ahead of the designated one. */
  readonly latestVersion: number;
  /** How often it was changed, which is also the number of its last event. */
  readonly revision: number;
}

/** A preset with the version that calls to it use. */
export interface Preset extends PresetRecord {
  readonly designatedVersion: PresetVersion;
}

/** Everything about a preset except what its versions hold. */
export interface PresetState extends PresetRecord {
  readonly designatedNumber: number;
  readonly labels: Labels;
}

/** A preset as it stands in a list. */
export interface PresetSummary extends PresetState {
  readonly designatedVersionId: string;
}

/** The same for people, who look for what it calls and who touched it. */
export interface PresetOverview extends PresetSummary {
  /** What calls to the designated version begin with, cut where it is very long; null where it names none. */
  readonly model: string | null;
  /** Who made the last change. */
  readonly updatedBy: string;
  readonly updatedByEmail: string | null;
}

export interface Label {
  readonly version: number;
  readonly updatedAt: string;
}

/** In the order of the names. */
export type Labels = ReadonlyMap<string, Label>;
