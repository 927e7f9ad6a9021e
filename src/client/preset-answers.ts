import type { Dialect } from '../core/presets/preset.ts';

/**
 * Response shapes of the preset API, limited to the fields that the command line and the dashboard
 * show.
 */

export interface PresetVersion {
  readonly version: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly system_prompt: string | null;
  readonly creator_id: string;
  readonly created_at: string;
}

/** A version read on its own or in a list; the one inside a preset has fewer fields. */
export interface PresetVersionDetails extends PresetVersion {
  readonly dialect: Dialect;
  readonly creator_email: string | null;
}

export interface Preset {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** The live version. */
  readonly designated_version: PresetVersion;
}

/**
 * Sent next to `data` by a dry run: the request fields that are not saved. Absent from older
 * servers.
 */
export interface LeftOut {
  readonly left_out?: readonly {
    readonly field: string;
    readonly reason: string;
    readonly message: string;
  }[];
  /** The total, if there are more than the server lists. */
  readonly left_out_count?: number;
}

export interface PresetSummary extends Omit<Preset, 'designated_version'> {
  /** From the live version; null if that sets none. */
  readonly model: string | null;
  readonly updated_by_email: string | null;
  readonly designated_version_number: number;
  readonly latest_version: number;
  readonly labels: Readonly<Record<string, number>>;
}

export interface Label {
  readonly label: string;
  readonly version: number;
  readonly updated_at: string;
}

/**
 * The changes between two versions: an RFC 6902 patch of the config and a unified diff of the
 * prompt.
 */
export interface Diff {
  readonly from: { readonly version: number };
  readonly to: { readonly version: number };
  readonly config_patch: readonly PatchOperation[];
  /** Null if the prompts are identical. */
  readonly system_prompt_diff: string | null;
  /** The parts that replace more than what changed. Absent from older servers. */
  readonly coarse?: readonly string[];
}

export interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

export interface PresetEvent {
  readonly number: number;
  readonly kind: string;
  readonly actor_email: string | null;
  readonly key_label: string | null;
  readonly created_at: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}
