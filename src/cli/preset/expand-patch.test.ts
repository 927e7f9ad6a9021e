import { describe, expect, it } from 'vitest';
import { expandPatch } from './expand-patch.ts';

const change = (path: string, before: unknown, after: unknown) => ({ path, before, after });

describe('expandPatch', () => {
  it.each([
    {
      title: 'a replaced value, with the old one',
      config: { temperature: 0.2 },
      patch: [{ op: 'replace', path: '/temperature', value: 0.7 }],
      changes: [change('/temperature', 0.2, 0.7)],
    },
    {
      title: 'added and removed values',
      config: { stop: ['a'], provider: { order: ['x'] } },
      patch: [
        { op: 'remove', path: '/stop' },
        { op: 'add', path: '/provider/sort', value: 'price' },
      ],
      changes: [change('/stop', ['a'], undefined), change('/provider/sort', undefined, 'price')],
    },
    {
      title: 'array indexes relative to the previous operation',
      config: { models: ['a', 'b', 'c'] },
      patch: [
        { op: 'remove', path: '/models/0' },
        { op: 'replace', path: '/models/1', value: 'd' },
        { op: 'add', path: '/models/1', value: 'e' },
        { op: 'add', path: '/models/-', value: 'f' },
        { op: 'remove', path: '/models/2' },
      ],
      changes: [
        change('/models/0', 'a', undefined),
        change('/models/1', 'c', 'd'),
        change('/models/1', undefined, 'e'),
        change('/models/-', undefined, 'f'),
        change('/models/2', 'd', undefined),
      ],
    },
    {
      title: 'escaped keys, and keys that objects inherit',
      config: JSON.parse('{"a/b":{"c~d":1},"__proto__":2}'),
      patch: [
        { op: 'replace', path: '/a~1b/c~0d', value: 3 },
        { op: 'add', path: '/constructor', value: 4 },
        { op: 'replace', path: '/__proto__', value: 5 },
        { op: 'remove', path: '/__proto__' },
      ],
      changes: [
        change('/a~1b/c~0d', 1, 3),
        change('/constructor', undefined, 4),
        change('/__proto__', 2, 5),
        change('/__proto__', 5, undefined),
      ],
    },
  ])('expandPatch resolves $title', ({ config, patch, changes }) => {
    expect(expandPatch(config, patch)).toEqual(changes);
  });
});
