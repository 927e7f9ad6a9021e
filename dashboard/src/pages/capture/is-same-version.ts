import type { PresetVersion } from '../../../../src/api/versions.ts';
import { runToCompletion } from '../../../../src/core/cooperative-task.ts';
import { createJsonInterner } from '../../../../src/core/json-interner.ts';

type Content = Pick<PresetVersion, 'config' | 'system_prompt'>;

/** Whether two versions have the same prompt and config. Field order is irrelevant; list order is not. */
export function isSameVersion(one: Content, other: Content): boolean {
  const interner = createJsonInterner();
  for (const { config } of [one, other]) runToCompletion(interner.intern(config));
  return one.system_prompt === other.system_prompt && interner.isEqual(one.config, other.config);
}
