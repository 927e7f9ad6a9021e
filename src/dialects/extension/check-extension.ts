import type { Issue } from '../../core/errors.ts';
import type { CapturedPreset, Dialect } from '../../core/presets/preset.ts';

/**
 * Finds what the schema cannot express about the `presetd` object of a capture. The paths start at
 * the request.
 */
export function findExtensionIssues(
  { extension }: Pick<CapturedPreset, 'extension' | 'config' | 'systemPrompt'>,
  _dialect: Dialect,
): readonly Issue[] {
  if (extension === null) return none;
  return none;
}

const none: readonly Issue[] = [];
