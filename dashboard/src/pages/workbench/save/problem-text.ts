import type { JsonObject } from '../../../../../src/core/json-object.ts';
import { parsePointer } from '../../../../../src/core/json-pointer.ts';
import type { TextProblem } from '../../../features/request/check-request.ts';
import type { LocatedIssue } from '../../../features/request/locate-issues.ts';
import { isSystemMessage } from '../../../features/request/prompt-field.ts';

/**
 * A problem as a sentence. Those that the server reports have a path instead of a subject, since
 * the request editor shows them at their place.
 */
export function describeProblem(problem: TextProblem | LocatedIssue, body: JsonObject | undefined): string {
  if (!('path' in problem) || !/^[a-z]/.test(problem.message)) return problem.message;
  const path = parsePointer(problem.path);
  // A position in a text, which the whole list stands for, is one in the system prompt.
  const isPrompt = path.length === 1 && path[0] === 'messages' && / at line \d/.test(problem.message);
  return `${isPrompt ? 'The system prompt' : subjectOf(path, body)} ${problem.message}`;
}

/** As the forms call it if they have another name for it. */
function subjectOf(path: readonly string[], body: JsonObject | undefined): string {
  const [field, index] = path;
  if (field === undefined) return 'The request';
  if (field === 'system' || field === 'instructions') return 'The system prompt';
  const list = body?.[field];
  if (
    (field === 'messages' || field === 'input') &&
    Array.isArray(list) &&
    isSystemMessage(list[Number(index)])
  )
    return 'The system prompt';
  return path
    .map((part, depth) => (/^\d+$/.test(part) ? `[${part}]` : depth === 0 ? part : `.${part}`))
    .join('');
}
