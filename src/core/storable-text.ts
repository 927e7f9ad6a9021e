import { type Issue, PresetdError } from './errors.ts';
import { pointerSegment } from './json-pointer.ts';
import type { CapturedPreset } from './preset.ts';

/**
 * Refuses text that one of the engines could not give back unchanged: U+0000, which PostgreSQL does not store, and
 * halves of surrogate pairs, which UTF-8 cannot express. Only what is kept is looked at.
 */
export function assertStorablePreset(captured: CapturedPreset, configJson: string): void {
  const issues: Issue[] = [];
  // JSON text shows both as an escape, so a config without one needs no walk.
  if (configJson.includes('\\u')) inspect(captured.config, '', issues);
  // The prompt may be put together from several messages; which of them it was is not known here.
  if (captured.systemPrompt !== null)
    inspectText(captured.systemPrompt, '', issues, 'has a system prompt that ');
  if (issues.length === 0) return;
  const [first] = issues;
  const more = issues.length > 1 ? `; and ${issues.length - 1} more` : '';
  throw new PresetdError(
    'invalid_request',
    `The request body is not valid: ${`${first?.path} ${first?.message}`.trim()}${more}.`,
    { issues },
  );
}

function inspect(value: unknown, path: string, issues: Issue[]): void {
  if (typeof value === 'string') inspectText(value, path, issues);
  else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      inspect(value[index], path + pointerSegment(index), issues);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const itemPath = path + pointerSegment(key);
      inspectText(key, itemPath, issues);
      inspect(item, itemPath, issues);
    }
  }
}

function inspectText(text: string, path: string, issues: Issue[], subject = ''): void {
  if (issues.length >= 20) return;
  const problem = textProblem(text);
  if (problem !== undefined) issues.push({ path, message: subject + problem });
}

/** `describeText` for the API document. Text with half of a surrogate pair is no Unicode to begin with. */
export const storablePattern = '^[^\\u0000]*$';

/** What is wrong with a text that cannot be stored; undefined for any other. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'contains the character U+0000; remove it';
  if (!text.isWellFormed()) return 'contains half of a surrogate pair; send whole Unicode characters';
  return undefined;
}
