import { type Issue, PresetdError } from './errors.ts';
import { pointerSegment } from './json-pointer.ts';
import type { CapturedPreset } from './presets/preset.ts';

/**
 * Rejects text that one of the engines cannot return unchanged: U+0000, which PostgreSQL does not
 * store, and unpaired surrogates, which UTF-8 cannot encode. Checks only the captured fields.
 */
export function assertStorablePreset(
  captured: Pick<CapturedPreset, 'config' | 'systemPrompt' | 'extension'>,
  configJson: string,
  extensionJson: string | null,
): void {
  const issues: Issue[] = [];
  // Both appear as an escape in JSON text, so most configs need no walk.
  if (configJson.includes('\\u')) collectIssues(captured.config, '', issues);
  if (extensionJson?.includes('\\u')) collectIssues(captured.extension, '/presetd', issues);
  // The prompt can be assembled from several messages, so the issue has no path.
  if (captured.systemPrompt !== null)
    collectTextIssue(captured.systemPrompt, '', issues, 'has a system prompt that ');
  if (issues.length === 0) return;
  const [first] = issues;
  const more = issues.length > 1 ? `; and ${issues.length - 1} more` : '';
  throw new PresetdError(
    'invalid_request',
    `The request body is not valid: ${`${first?.path} ${first?.message}`.trim()}${more}.`,
    { issues },
  );
}

/**
 * The texts in a value that one of the engines cannot return unchanged, with paths that start at the
 * value. `json` is its JSON text, in which they all appear as an escape.
 */
export function findTextIssues(value: unknown, json: string): readonly Issue[] {
  const issues: Issue[] = [];
  if (json.includes('\\u')) collectIssues(value, '', issues);
  return issues;
}

function collectIssues(value: unknown, path: string, issues: Issue[]): void {
  if (typeof value === 'string') collectTextIssue(value, path, issues);
  else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      collectIssues(value[index], path + pointerSegment(index), issues);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const itemPath = path + pointerSegment(key);
      collectTextIssue(key, itemPath, issues);
      collectIssues(item, itemPath, issues);
    }
  }
}

/** Bounds the length of the error response. */
const issuesMax = 20;

function collectTextIssue(text: string, path: string, issues: Issue[], subject = ''): void {
  if (issues.length >= issuesMax) return;
  const problem = textProblem(text);
  if (problem !== undefined) issues.push({ path, message: subject + problem });
}

/**
 * `textProblem` for the OpenAPI document. Text with unpaired surrogates is not valid Unicode
 * anyway.
 */
export const storablePattern = '^[^\\u0000]*$';

/** Describes why text cannot be stored; undefined if it can. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'contains the character U+0000; remove it';
  if (!text.isWellFormed()) return 'contains an unpaired surrogate; send valid Unicode text';
  return undefined;
}
