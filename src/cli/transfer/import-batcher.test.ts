import { describe, expect, it } from 'vitest';
import { ExportParser } from './export-parser.ts';
import { type BatchLimits, type ImportBatch, ImportBatcher } from './import-batcher.ts';

/** Presets are given as [slug, number of versions]. Every line has 60 bytes with its line feed. */
function batch(presets: readonly (readonly [string, number])[], limits: BatchLimits): readonly ImportBatch[] {
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
  const batcher = new ImportBatcher(limits);
  const numbered = new ExportParser('x').push(Buffer.from(lines.join('')));
  return [...numbered.flatMap((item) => batcher.add(item)), ...batcher.flush()];
}

/** "a123 b1": each preset with the versions that follow it. */
function summaryOf({ body }: ImportBatch): string {
  return body
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ type, slug, version }) => (type === 'preset' ? ` ${slug}` : version))
    .join('')
    .trim();
}

describe('ImportBatcher', () => {
  it.each([
    { title: 'nothing for no presets', presets: [], bytesMax: 600, batches: [] },
    {
      title: 'everything in one batch if it fits',
      presets: [
        ['a', 2],
        ['b', 1],
      ],
      bytesMax: 600,
      batches: ['a12 b1'],
    },
    {
      title: 'whole presets if possible',
      presets: [
        ['a', 2],
        ['b', 1],
        ['c', 1],
      ],
      bytesMax: 300,
      batches: ['a12 b1', 'c1'],
    },
    {
      title: 'a preset that does not fit in the next batch',
      presets: [
        ['a', 2],
        ['b', 2],
      ],
      bytesMax: 300,
      batches: ['a12', 'b12'],
    },
    {
      title: 'at most presetsMax presets at once',
      presets: [
        ['a', 1],
        ['b', 1],
        ['c', 1],
        ['d', 1],
      ],
      bytesMax: 6_000,
      batches: ['a1 b1 c1', 'd1'],
    },
    {
      title: 'a large preset in parts',
      presets: [
        ['a', 5],
        ['b', 1],
      ],
      bytesMax: 180,
      batches: ['a12', 'a34', 'a5', 'b1'],
    },
    {
      title: 'a large preset in parts, between others',
      presets: [
        ['a', 1],
        ['b', 5],
        ['c', 1],
      ],
      bytesMax: 240,
      batches: ['a1', 'b123', 'b45', 'c1'],
    },
    {
      title: 'the last part of a preset together with others',
      presets: [
        ['a', 5],
        ['b', 1],
        ['c', 2],
      ],
      bytesMax: 300,
      batches: ['a1234', 'a5 b1', 'c12'],
    },
    {
      title: 'lines that exceed the limit on their own',
      presets: [
        ['a', 2],
        ['b', 1],
      ],
      bytesMax: 10,
      batches: ['a1', 'a2', 'b1'],
    },
  ] as const)('an import sends $title', ({ presets, bytesMax, batches }) => {
    expect(batch(presets, { bytesMax, linesMax: 10, presetsMax: 3 }).map(summaryOf)).toEqual(batches);
  });

  it('a batch knows its lines in the file and whether its presets are complete', () => {
    const batches = batch(
      [
        ['a', 1],
        ['b', 5],
        ['c', 1],
      ],
      { bytesMax: 300, linesMax: 10, presetsMax: 3 },
    );
    expect(batches.map(summaryOf)).toEqual(['a1', 'b1234', 'b5 c1']);
    expect(batches.map(({ body, ...rest }) => rest)).toEqual([
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

  it('a batch has no more lines than the server accepts', () => {
    const limits = { bytesMax: 6_000, linesMax: 4, presetsMax: 3 };
    expect(
      batch(
        [
          ['a', 2],
          ['b', 5],
        ],
        limits,
      ).map(summaryOf),
    ).toEqual(['a12', 'b123', 'b45']);
  });
});
