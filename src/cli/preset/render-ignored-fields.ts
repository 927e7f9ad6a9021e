import type { LeftOut } from '../../client/preset-answers.ts';
import { oneLine } from '../../client/printable.ts';
import type { Paint } from '../paint.ts';

/**
 * Lists the request fields that a dry run would not save, with the server's reason for each. Empty
 * if everything is saved, or if the server is too old to say. The server caps the list and counts
 * the rest.
 */
export function renderIgnoredFields({ left_out = [], left_out_count = 0 }: LeftOut, paint: Paint): string {
  if (left_out.length === 0) return '';
  const unlisted = left_out_count - left_out.length;
  return [
    paint('bold', 'Ignored'),
    ...left_out.map(({ field, message }) => `  ${oneLine(field)}: ${oneLine(message)}`),
    ...(unlisted > 0 ? [`  and ${unlisted} more`] : []),
  ].join('\n');
}
