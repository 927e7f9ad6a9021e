import type { Issue } from '../errors.ts';
import { pointerSegment } from '../json/json-pointer.ts';

/**
 * The texts in a value that one of the engines cannot return unchanged: U+0000, which PostgreSQL
 * does not store, and unpaired surrogates, which UTF-8 cannot encode. `json` is its JSON text, in
 * which they all appear as an escape, so most values need no walk.
 */
export function findTextIssues(value: unknown, json: string, path = ''): readonly Issue[] {
  const issues: Issue[] = [];
  if (json.includes('\\u')) collectIssues(value, path, issues);
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

function collectTextIssue(text: string, path: string, issues: Issue[]): void {
  if (issues.length >= issuesMax) return;
  const message = textProblem(text);
  if (message !== undefined) issues.push({ path, message });
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
