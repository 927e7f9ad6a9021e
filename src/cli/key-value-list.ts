import { oneLine } from '../client/printable.ts';
import type { Paint } from './paint.ts';

export type KeyValue = readonly [name: string, value: string];

/**
 * Renders one resource for the `show` commands: a title, then its properties in two aligned
 * columns. Properties with an empty value are omitted.
 */
export function renderKeyValueList(title: string, entries: readonly KeyValue[], paint: Paint): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return [
    paint('bold', oneLine(title)),
    ...entries
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${oneLine(value)}`),
  ].join('\n');
}
