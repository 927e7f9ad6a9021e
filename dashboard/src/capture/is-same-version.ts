import type { PresetVersion } from '../../../src/client/preset-answers.ts';
import { isSameJson } from '../api/is-same-json.ts';

type Content = Pick<PresetVersion, 'config' | 'system_prompt'>;

/**
 * Whether two versions have the same prompt and config. The order of config fields is irrelevant.
 */
export function isSameVersion(one: Content, other: Content): boolean {
  return one.system_prompt === other.system_prompt && isSameJson(one.config, other.config);
}
