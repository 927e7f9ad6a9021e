import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { findSchemaIssue } from '../../../../../src/dialects/presets/schema-issue.ts';
import {
  describeNameProblem,
  describeToolTypeProblem,
} from '../../../../../src/dialects/presets/upstream-issues.ts';
import { fieldPath } from '../../../features/request/field-path.ts';

/** The first mistake in a JSON Schema as a sentence; undefined if there is none. */
export function schemaProblem(schema: unknown): string | undefined {
  const issue = findSchemaIssue(schema);
  return issue && `${fieldPath(issue.path) || 'The schema'} ${issue.message}.`;
}

/** The problem with the name of a tool or schema, as a sentence; undefined for none. */
export function nameProblem(name: unknown, dialect: Dialect): string | undefined {
  const problem = describeNameProblem(typeof name === 'string' ? name : '', dialect);
  return problem && `The name ${problem}.`;
}

/** The problem with the type of a tool, as a sentence; undefined for none. */
export function toolTypeProblem(tool: unknown): string | undefined {
  const problem = describeToolTypeProblem(tool);
  return problem && `The type ${problem}.`;
}
