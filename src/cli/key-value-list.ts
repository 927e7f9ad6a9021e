import { oneLine } from '../client/printable.ts';
import type { Paint } from './paint.ts';

export type KeyValue = readonly [name: string, value: string];

/** One thing for people: its title and a column of what is known of it. What is empty is left out. */
export function renderKeyValueList(title: string, facts: readonly KeyValue[], paint: Paint): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    paint('bold', oneLine(title)),
    ...facts
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${oneLine(value)}`),
  ].join('\n');
}
