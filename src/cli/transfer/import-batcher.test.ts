import { describe, expect, it } from 'vitest';
import { ExportParser } from './export-parser.ts';
import { type BatchLimits, type ImportBatch, ImportBatcher } from './import-batcher.ts';

/** Presets as [slug, count of versions]; every preset and version line has 60 bytes with its line feed. */
function group(presets: readonly (readonly [string, number])[], limits: BatchLimits): readonly ImportBatch[] {
  const line = (value: object) => `${JSON.stringify(value).slice(0, -1).padEnd(58)}}\n`;
  const versions = presets.reduce((sum, [, count]) => sum + count, 0);
  const lines = [
    line({ type: 'export', format: 1, presets: presets.length }),
    ...presets.flatMap(([slug, count]) => [
      line({ type: 'preset', slug, versions: count }),
      ...Array.from({ length: count }, (_, index) => line({ type: 'version', slug, version: index + 1 })),
    ]),
    line({ type: 'end', presets: presets.length, versions }),
  ];
  const grouping = new ImportBatcher(limits);
  const numbered = new ExportParser('x').push(Buffer.from(lines.join('')));
  return [...numbered.flatMap((item) => grouping.add(item)), ...grouping.flush()];
}

/** "a123 b1": every preset line with the versions that follow it. */
function told({ body }: ImportBatch): string {
  return body
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ type, slug, version }) => (type === 'preset' ? ` ${slug}` : version))
    .join('')
    .trim();
}

describe('ImportGrouping', () => {
  it.each([
    { title: 'nothing', presets: [], bytesMax: 600, groups: [] },
    {
      title: 'everything in one',
      presets: [
        ['a', 2],
        ['b', 1],
      ],
      bytesMax: 600,
      groups: ['a12 b1'],
    },
    {
      title: 'whole presets',
      presets: [
        ['a', 2],
        ['b', 1],
        ['c', 1],
      ],
      bytesMax: 300,
      groups: ['a12 b1', 'c1'],
    },
    {
      title: 'a preset moved on',
      presets: [
        ['a', 2],
        ['b', 2],
      ],
      bytesMax: 300,
      groups: ['a12', 'b12'],
    },
    {
      title: 'a bounded count',
      presets: [
        ['a', 1],
        ['b', 1],
        ['c', 1],
        ['d', 1],
      ],
      bytesMax: 6_000,
      groups: ['a1 b1 c1', 'd1'],
    },
    {
      title: 'a divided preset',
      presets: [
        ['a', 5],
        ['b', 1],
      ],
      bytesMax: 180,
      groups: ['a12', 'a34', 'a5', 'b1'],
    },
    {
      title: 'a divided preset and more',
      presets: [
        ['a', 1],
        ['b', 5],
        ['c', 1],
      ],
      bytesMax: 240,
      groups: ['a1', 'b123', 'b45', 'c1'],
    },
    {
      title: 'the rest of one with others',
      presets: [
        ['a', 5],
        ['b', 1],
        ['c', 2],
      ],
      bytesMax: 300,
      groups: ['a1234', 'a5 b1', 'c12'],
    },
    {
      title: 'lines larger than a group',
      presets: [
        ['a', 2],
        ['b', 1],
      ],
      bytesMax: 10,
      groups: ['a1', 'a2', 'b1'],
    },
  ] as const)('sends $title', ({ presets, bytesMax, groups }) => {
    expect(group(presets, { bytesMax, presetsMax: 3 }).map(told)).toEqual(groups);
  });

  it('says which lines of the file a group holds, and whether its presets are whole', () => {
    const groups = group(
      [
        ['a', 1],
        ['b', 5],
        ['c', 1],
      ],
      { bytesMax: 300, presetsMax: 3 },
    );
    expect(groups.map(told)).toEqual(['a1', 'b1234', 'b5 c1']);
    expect(groups.map(({ body, ...rest }) => rest)).toEqual([
      {
        presetLines: new Map([['a', 2]]),
        lineNumbers: [2, 3],
        isContinuation: false,
        isContinued: false,
      },
      {
        presetLines: new Map([['b', 4]]),
        lineNumbers: [4, 5, 6, 7, 8],
        isContinuation: false,
        isContinued: true,
      },
      {
        presetLines: new Map([
          ['b', 4],
          ['c', 10],
        ]),
        lineNumbers: [4, 9, 10, 11],
        isContinuation: true,
        isContinued: false,
      },
    ]);
  });
});
