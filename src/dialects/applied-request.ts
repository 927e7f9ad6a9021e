import type { PresetVersion } from '../core/presets/preset.ts';

/** The part of a preset version that is merged into a request. */
export type AppliedVersion = Pick<PresetVersion, 'dialect' | 'configJson' | 'systemPrompt'>;

export interface AppliedRequest {
  /** Read-only: its values belong to the request or to a preset that other requests share. */
  readonly body: Record<string, unknown>;
  /** Fields without a counterpart in the dialect of the request, by their names in the preset. */
  readonly droppedFields: readonly string[];
  /** The preset's fields that the request replaced, system prompt first, by name in the preset. */
  readonly overriddenFields: readonly string[];
}
