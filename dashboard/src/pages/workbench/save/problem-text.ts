import type { JsonObject } from '../../../../../src/core/json/json-object.ts';
import { parsePointer } from '../../../../../src/core/json/json-pointer.ts';
import type { TextProblem } from '../../../features/request/check-request.ts';
import { fieldPath } from '../../../features/request/field-path.ts';
import type { LocatedIssue } from '../../../features/request/locate-issues.ts';
import { isSystemMessage, messageLists, promptFields } from '../../../features/request/prompt-field.ts';

/**
 * A problem as a sentence. Those that the server reports have a path instead of a subject, since
 * the request editor shows them at their place.
 */
export function describeProblem(problem: TextProblem | LocatedIssue, body: JsonObject | undefined): string {
  if (!('path' in problem) || !/^[a-z]/.test(problem.message)) return problem.message;
  const path = parsePointer(problem.path);
  // A position in a text, which the whole list stands for, is one in the system prompt.
  const isPrompt = path.length === 1 && path[0] === 'messages' && / at line \d/.test(problem.message);
  return `${isPrompt ? 'The system prompt' : subjectOf(problem.path, body)} ${problem.message}`;
}

/** As the forms call it if they have another name for it. */
function subjectOf(pointer: string, body: JsonObject | undefined): string {
  const [field, index] = parsePointer(pointer);
  if (field === undefined) return 'The request';
  if (promptFields.includes(field)) return 'The system prompt';
  const list = body?.[field];
  if (messageLists.includes(field) && Array.isArray(list) && isSystemMessage(list[Number(index)]))
    return 'The system prompt';
  return fieldPath(pointer);
}
