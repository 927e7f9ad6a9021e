import type { Random } from '../support/random.ts';
import { bodyBytesMax } from './fuzzed-server.ts';
import type { MutableRequest } from './mutable-request.ts';

/** Gives the request a Content-Length that is wrong or cannot be parsed. */
export function wrongLength(request: MutableRequest, random: Random): void {
  const bytes = request.body ?? Buffer.from('{}');
  const { length } = bytes;
  const wrong = [
    ...[
      length + 1,
      length - 1,
      length * 2,
      -1,
      -length,
      2 ** 31,
      2 ** 53,
      '9'.repeat(30),
      '',
      ' ',
      'x',
      `+${length}`,
    ],
    ...[
      `0x${length.toString(16)}`,
      `${length}.0`,
      `${length}, ${length}`,
      `${length}, 0`,
      `${length} 0`,
      `0${length}`,
    ],
    ...[`${length}e0`, bodyBytesMax, bodyBytesMax + 1, 0],
  ];
  const headers: [string, string][] = [['Content-Length', String(random.pick(wrong))]];
  if (random.below(4) === 0) headers.push(['Content-Length', String(length)]);
  if (random.below(4) === 0) headers.push(['Transfer-Encoding', random.pick(codings)]);
  request.framing = { headers, bytes };
  request.isComplete = false;
}

const codings = [
  ...[
    'chunked',
    'chunked',
    'Chunked',
    'chunked, chunked',
    'gzip, chunked',
    'chunked, gzip',
    'identity',
    'gzip',
    '',
  ],
  ...[
    'xchunked',
    'chunkedx',
    ' chunked',
    '\tchunked',
    '"chunked"',
    'chunked;q=1',
    'chunked, identity',
    ', chunked',
  ],
];

/** Sends the body in chunks, most of them malformed. */
export function brokenChunks(request: MutableRequest, random: Random): void {
  const body = request.body ?? Buffer.from('{}');
  const headers: [string, string][] = [['Transfer-Encoding', random.pick(codings)]];
  if (random.below(4) === 0) headers.push(['Content-Length', String(random.pick([body.length, 0, 5]))]);
  if (random.below(6) === 0) headers.push(['Transfer-Encoding', random.pick(codings)]);
  const half = random.below(body.length + 1);
  const parts = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  const end = () => (random.below(4) === 0 ? random.pick(['\n', '\r', '', '\r\n\r\n', ' \r\n']) : '\r\n');
  const chunks = parts.flatMap((part) => {
    const size = part.length.toString(16);
    const written =
      random.below(3) > 0
        ? size
        : random.pick([
            ...[
              '',
              '-1',
              'x',
              `0x${size}`,
              ` ${size}`,
              `${size} `,
              size.toUpperCase(),
              `000000000${size}`,
              'f'.repeat(15),
            ],
            ...[
              'f'.repeat(17),
              '0',
              (part.length + 1).toString(16),
              (part.length - 1).toString(16),
              `${size};a=b`,
            ],
            ...[`${size};a="\r\n"`, `${size};${'x'.repeat(17_000)}`, `${size};\0`, '7fffffff', `${size}\t`],
          ]);
    return [Buffer.from(written + end(), 'latin1'), part, Buffer.from(end())];
  });
  const last = random.pick([
    ...['0\r\n\r\n', '0\r\n\r\n', '0\r\n\r\n', '', '0\r\n', '0', '00\r\n\r\n', '0;x\r\n\r\n', '-0\r\n\r\n'],
    ...[
      '0\r\nX-Trailer: 1\r\n\r\n',
      '0\r\nContent-Length: 5\r\n\r\n',
      '0\r\n\0: x\r\n\r\n',
      '0\r\nno colon\r\n\r\n',
    ],
    `0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
  ]);
  request.framing = { headers, bytes: Buffer.concat([...chunks, Buffer.from(last, 'latin1')]) };
  request.isComplete = false;
}
