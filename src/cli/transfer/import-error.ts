import { oneLine } from '../../client/printable.ts';
import type { CommandError } from '../command-error.ts';

/** Says in lines of the file what the server says in lines of one request, which it counts from 0. */
export function restateWithFileLines(error: CommandError, lineNumbers: readonly number[]): CommandError {
  const told = error.issues.flatMap(({ path, message }) => {
    const [, index, rest = ''] = /^\/(\d+)(\/.*)?$/s.exec(path) ?? [];
    const line = index === undefined ? undefined : lineNumbers[Number(index)];
    return line === undefined ? [] : [oneLine(`line ${line}: ${rest} ${message}`.replace(/ {2,}/, ' '))];
  });
  if (told.length === 0) {
    const place = `Lines ${lineNumbers[0]} to ${lineNumbers.at(-1)}`;
    return error.restated(`${place} could not be imported: ${error.message}`);
  }
  if (told.length === 1) return error.restated(`The server refuses ${told[0]}.`);
  return error.restated(['The server refuses', ...told].join('\n  '));
}
