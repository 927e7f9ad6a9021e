import type { CooperativeTask } from '../concurrency/cooperative-task.ts';
import { jsonPatchBetween } from './json-patch.ts';
import type { PresetVersion } from './preset.ts';
import { unifiedDiff } from './unified-diff.ts';

/**
 * Parts that were too large to compare in detail. They are correct but replace more than necessary.
 */
type CoarsePart = 'config_patch' | 'system_prompt_diff' | 'presetd_patch';

export interface VersionDiff {
  readonly from: number;
  readonly to: number;
  /** A JSON Patch (RFC 6902). It is text because a JavaScript value would round some numbers. */
  readonly configPatchJson: string;
  /** A unified diff; null if the system prompts are equal. */
  readonly systemPromptDiff: string | null;
  /** A JSON Patch of the `presetd` objects; a version without one counts as having an empty one. */
  readonly extensionPatchJson: string;
  readonly coarse: readonly CoarsePart[];
}

/** Compares two versions. The work is bounded, and split into steps for `runCooperatively`. */
export function* compareVersions(
  slug: string,
  from: PresetVersion,
  to: PresetVersion,
): CooperativeTask<VersionDiff> {
  const config = yield* jsonPatchBetween(from.configJson, to.configJson);
  const prompt = yield* unifiedDiff(
    { name: `${slug}@${from.version}`, text: from.systemPrompt ?? '' },
    { name: `${slug}@${to.version}`, text: to.systemPrompt ?? '' },
  );
  const extension = yield* jsonPatchBetween(from.extensionJson ?? '{}', to.extensionJson ?? '{}');
  return {
    from: from.version,
    to: to.version,
    configPatchJson: config.json,
    systemPromptDiff: prompt.text,
    extensionPatchJson: extension.json,
    coarse: [
      ...(config.isCoarse ? ['config_patch' as const] : []),
      ...(prompt.isCoarse ? ['system_prompt_diff' as const] : []),
      ...(extension.isCoarse ? ['presetd_patch' as const] : []),
    ],
  };
}
