import { assertValidField } from '../request-issues.ts';
import { namePattern, nameProblem } from '../text/name.ts';
import { versionBytesMax } from './preset.ts';

/** Enough for a suite that people still read, and few enough to run all of them. */
export const casesMax = 500;

export const caseNameCharactersMax = 100;

/** `caseNameProblem` for the OpenAPI document, without the length. */
export const caseNamePattern = `^(?!\\.{1,2}$)${namePattern.slice(1)}`;

/** Names appear in paths, and a path normalizer would remove "." and "..". */
export function caseNameProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return 'must not be "." or ".."';
  if ([...name].length > caseNameCharactersMax)
    return `must have at most ${caseNameCharactersMax} characters`;
  return nameProblem(name);
}

export function assertCaseName(name: string): void {
  assertValidField('/name', caseNameProblem(name));
}

/** The size of a case as JSON text. The same as for a version: both may contain images. */
export const caseBytesMax = versionBytesMax;
