import type { CooperativeTask } from './cooperative-task.ts';
import { jsonPatchBetween } from './json-patch.ts';
import type { PresetVersion } from './preset.ts';
import { unifiedDiff } from './unified-diff.ts';

/** The parts of a diff that were too large to be compared in detail. They are correct, and replace more than changed. */
export type CoarsePart = 'config_patch' | 'system_prompt_diff';

export interface VersionDiff {
  readonly from: number;
  readonly to: number;
  /** A JSON Patch (RFC 6902) as text, since it may hold numbers that a value would round. */
  readonly configPatchJson: string;
  /** A unified diff; null when the system prompt is the same. */
  readonly systemPromptDiff: string | null;
  readonly coarse: readonly CoarsePart[];
}

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
  return {
    from: from.version,
    to: to.version,
    configPatchJson: config.json,
    systemPromptDiff: prompt.text,
    coarse: [
      ...(config.isCoarse ? ['config_patch' as const] : []),
      ...(prompt.isCoarse ? ['system_prompt_diff' as const] : []),
    ],
  };
}
