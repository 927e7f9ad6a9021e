import type {
  Aliases,
  AuthoredVersion,
  Dialect,
  Labels,
  Preset,
  PresetOverview,
  PresetState,
  PresetStatus,
  PresetSummary,
  PresetVersion,
} from '../core/presets/preset.ts';
import type { PresetChange } from '../core/presets/preset-change.ts';
import type { EventKind, PresetEvent } from '../core/presets/preset-event.ts';
import type { NewVersion } from '../core/presets/preset-storage.ts';

/**
 * Rows of presets, versions and events, and how they map to core values. Both engines select the
 * same columns, so the mapping exists once.
 */
export const presetColumns = `p.id, p.workspace_id, p.slug, p.name, p.description, p.status, p.status_updated_at,
  p.creator_user_id, p.created_at, p.updated_at, p.latest_version, p.designated_version, p.revision`;

/** Expects the version as `v`. */
export const versionColumns =
  'v.id, v.preset_id, v.version, v.dialect, v.config, v.system_prompt, v.extension, v.creator_id, v.created_at';

/** The designated version `v`, for rows that also have the preset's columns. */
export const designatedVersionColumns = `v.id AS version_id, v.dialect, v.config, v.system_prompt, v.extension,
  v.creator_id, v.created_at AS version_created_at`;

/** A position in a list of presets. Later positions have older updates. */
export interface PresetPosition {
  readonly id: string;
  readonly updated_at: string;
}

/** Lists truncate model names: a config may contain one of any length. */
export const shownModelCharactersMax = 256;

export interface PresetRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: PresetStatus;
  readonly status_updated_at: string | null;
  readonly creator_user_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly latest_version: number;
  readonly designated_version: number;
  readonly revision: number;
}

export interface StateRow extends PresetRow {
  /** A JSON array of [label, version, time], ordered by label. */
  readonly labels: string;
  /** A JSON array of [alias, time], ordered by alias. */
  readonly aliases: string;
  /** A sorted JSON array. */
  readonly tags: string;
}

export interface SummaryRow extends StateRow {
  readonly version_id: string;
}

/** A row of a search whose matches are all counted. */
export interface FoundRow extends SummaryRow {
  /** The number of all matches, not only those of the page. */
  readonly found: number;
}

/** Columns of lists besides the state of a preset: its model and who changed it last. */
export interface OverviewRow {
  readonly preset_id: string;
  readonly model: string | null;
  readonly actor_id: string;
  readonly actor_email: string | null;
}

/** A preset with its designated version. */
export interface DesignatedRow extends PresetRow {
  readonly version_id: string;
  readonly dialect: Dialect;
  readonly config: string;
  readonly system_prompt: string | null;
  readonly extension: string | null;
  readonly creator_id: string;
  readonly version_created_at: string;
}

export interface VersionRow {
  readonly id: string;
  readonly preset_id: string;
  readonly version: number;
  readonly dialect: Dialect;
  readonly config: string;
  readonly system_prompt: string | null;
  readonly extension: string | null;
  readonly creator_id: string;
  readonly created_at: string;
}

/** A version with the email address of its creator. */
export interface AuthoredVersionRow extends VersionRow {
  readonly creator_email: string | null;
}

export interface EventRow {
  readonly id: string;
  readonly number: number;
  readonly kind: EventKind;
  readonly actor_id: string;
  readonly actor_email: string | null;
  readonly key_label: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly created_at: string;
}

export function toPreset(row: DesignatedRow): Preset {
  return {
    ...toRecord(row),
    designatedVersion: {
      id: row.version_id,
      presetId: row.id,
      version: row.designated_version,
      dialect: row.dialect,
      configJson: row.config,
      systemPrompt: row.system_prompt,
      extensionJson: row.extension,
      creatorId: row.creator_id,
      createdAt: row.version_created_at,
    },
  };
}

/** The preset right after this version, even when the same commit added later ones. */
export function createdPreset(version: NewVersion, row: PresetRow): Preset {
  const { versionId, dialect, configJson, systemPrompt, extensionJson, author, createdAt } = version;
  return {
    ...toRecord(row),
    updatedAt: createdAt,
    designatedVersion: {
      id: versionId,
      presetId: row.id,
      version: row.latest_version,
      dialect,
      configJson,
      systemPrompt,
      extensionJson,
      creatorId: author.userId,
      createdAt,
    },
  };
}

/**
 * The preset after a change that designated one of the versions it added. Undefined after any other
 * change: the designated version then has to be read.
 */
export function changedPreset(change: PresetChange | undefined): Preset | undefined {
  if (change === undefined) return undefined;
  const { designatedNumber, labels: _labels, aliases: _aliases, tags: _tags, ...record } = change.next;
  const designatedVersion = change.versions.find(({ version }) => version === designatedNumber);
  return designatedVersion && { ...record, designatedVersion };
}

export function toState(row: StateRow): PresetState {
  return {
    ...toRecord(row),
    designatedNumber: row.designated_version,
    labels: toLabels(row.labels),
    aliases: toAliases(row.aliases),
    tags: JSON.parse(row.tags),
  };
}

export function toSummary(row: SummaryRow): PresetSummary {
  return { ...toState(row), designatedVersionId: row.version_id };
}

/** Combines presets with their overview rows, in the order of the presets. */
export function toOverviews(
  presets: readonly PresetSummary[],
  rows: readonly OverviewRow[],
): readonly PresetOverview[] {
  const rowOf = new Map(rows.map((row) => [row.preset_id, row]));
  return presets.map((preset) => {
    const row = rowOf.get(preset.id);
    if (row === undefined) throw new Error(`preset ${preset.id} has no event ${preset.revision}`);
    return { ...preset, model: row.model, updatedBy: row.actor_id, updatedByEmail: row.actor_email };
  });
}

export function toVersion(row: VersionRow): PresetVersion {
  return {
    id: row.id,
    presetId: row.preset_id,
    version: row.version,
    dialect: row.dialect,
    configJson: row.config,
    systemPrompt: row.system_prompt,
    extensionJson: row.extension,
    creatorId: row.creator_id,
    createdAt: row.created_at,
  };
}

export function toAuthoredVersion(row: AuthoredVersionRow): AuthoredVersion {
  return { ...toVersion(row), creatorEmail: row.creator_email };
}

export function toEvent(row: EventRow): PresetEvent {
  return {
    id: row.id,
    number: row.number,
    kind: row.kind,
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    keyLabel: row.key_label,
    createdAt: row.created_at,
  };
}

/** The fields that every view of a preset shares. */
function toRecord(row: PresetRow) {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    status: row.status,
    statusUpdatedAt: row.status_updated_at,
    creatorUserId: row.creator_user_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    latestVersion: row.latest_version,
    revision: row.revision,
  };
}

function toLabels(json: string): Labels {
  const entries: [string, number, string][] = JSON.parse(json);
  return new Map(entries.map(([label, version, time]) => [label, { version, updatedAt: isoTime(time) }]));
}

function toAliases(json: string): Aliases {
  const entries: [string, string][] = JSON.parse(json);
  return new Map(entries.map(([alias, time]) => [alias, { createdAt: isoTime(time) }]));
}

/** PostgreSQL's JSON has times in its own format. */
function isoTime(time: string): string {
  return new Date(time).toISOString();
}
