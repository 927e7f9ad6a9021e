import type { LeftOut } from '../../client/preset-answers.ts';
import { oneLine } from '../../client/printable.ts';
import type { Paint } from '../paint.ts';

/** What of a request is not kept, a field a line; nothing where all of it is. */
export function renderIgnoredFields({ left_out = [], left_out_count = 0 }: LeftOut, paint: Paint): string {
  if (left_out.length === 0) return '';
  const hidden = left_out_count - left_out.length;
  return [
    paint('bold', 'Left out'),
    ...left_out.map(({ field, message }) => `  ${oneLine(field)}: ${oneLine(message)}`),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
  ].join('\n');
}
