import type { Dialect } from '../core/preset.ts';

/** What the server answers about presets, as far as it is shown to people. */

export interface PresetVersion {
  readonly version: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly system_prompt: string | null;
  readonly creator_id: string;
  readonly created_at: string;
}

/** A version where it is read by itself or among others. */
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
  readonly designated_version: PresetVersion;
}

/** Beside the answer of a dry run; older servers do not tell. */
export interface LeftOut {
  readonly left_out?: readonly {
    readonly field: string;
    readonly reason: string;
    readonly message: string;
  }[];
  /** Of all of them, where there are more than are listed. */
  readonly left_out_count?: number;
}

export interface PresetSummary extends Omit<Preset, 'designated_version'> {
  /** Of the designated version; null where it names none. */
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

/** From one version to another: an RFC 6902 patch and a unified diff. */
export interface Diff {
  readonly from: { readonly version: number };
  readonly to: { readonly version: number };
  readonly config_patch: readonly PatchOperation[];
  /** Null when the prompts are the same. */
  readonly system_prompt_diff: string | null;
  /** The parts that replace more than what changed; older servers do not say. */
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
