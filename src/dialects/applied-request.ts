import type { PresetVersion } from '../core/preset.ts';

/** The part of a version that a request is merged with. */
export type AppliedVersion = Pick<PresetVersion, 'dialect' | 'configJson' | 'systemPrompt'>;

export interface AppliedRequest {
  /** Not to be changed: its values are those of the request, and of a preset that other requests share. */
  readonly body: Record<string, unknown>;
  /** What of the preset has no counterpart in the dialect of the request, under its name in the preset. */
  readonly droppedFields: readonly string[];
  /** The fields of the preset that the request replaced, under their names in the preset; the system prompt first. */
  readonly overriddenFields: readonly string[];
}
