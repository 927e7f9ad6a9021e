import { oneLine } from '../../client/printable.ts';
import type { CommandError } from '../command-error.ts';

/**
 * Restates a failed request in terms of the file. The server reports issues by line of the request,
 * counted from 0; `lineNumbers` has the file line of each. If no issue names a line, the message
 * says which lines the request contained.
 */
export function restateWithFileLines(error: CommandError, lineNumbers: readonly number[]): CommandError {
  const problems = error.issues.flatMap(({ path, message }) => {
    const [, index, rest = ''] = /^\/(\d+)(\/.*)?$/s.exec(path) ?? [];
    const line = index === undefined ? undefined : lineNumbers[Number(index)];
    return line === undefined ? [] : [oneLine(`line ${line}: ${rest} ${message}`.replace(/ {2,}/, ' '))];
  });
  if (problems.length === 0) {
    const lines = `Lines ${lineNumbers[0]} to ${lineNumbers.at(-1)}`;
    return error.restated(`${lines} could not be imported: ${error.message}`);
  }
  if (problems.length === 1) return error.restated(`The server rejected ${problems[0]}.`);
  return error.restated(['The server rejected these lines:', ...problems].join('\n  '));
}
