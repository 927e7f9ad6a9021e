/** A wire format in which a request can be captured. */
export type Dialect = 'chat-completions' | 'messages' | 'responses';

export type PresetStatus = 'active' | 'disabled' | 'archived';

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

export interface Preset {
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
  readonly designatedVersion: PresetVersion;
}
