import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { runToCompletion } from '../../../../src/core/cooperative-task.ts';
import { createJsonInterner } from '../../../../src/core/json-interner.ts';

export type VersionContent = Pick<PresetVersionDetails, 'config' | 'system_prompt' | 'presetd'>;

/**
 * Whether two versions do the same: they have the same prompt, config and extension, whatever their
 * notes say. Field order is irrelevant; list order is not.
 */
export function isSameVersion(one: VersionContent, other: VersionContent): boolean {
  const [before, after] = [one, other].map(({ config, system_prompt, presetd }) => {
    const { note: _, ...extension } = presetd ?? {};
    return { config, system_prompt, extension };
  });
  const interner = createJsonInterner();
  for (const content of [before, after]) runToCompletion(interner.intern(content));
  return interner.isEqual(before, after);
}
