import type { PresetVersion } from '../../../src/client/preset-answers.ts';

type Content = Pick<PresetVersion, 'config' | 'system_prompt'>;

/** Whether two versions say the same, in whatever order. */
export function isSameVersion(one: Content, other: Content): boolean {
  return one.system_prompt === other.system_prompt && ordered(one.config) === ordered(other.config);
}

function ordered(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
