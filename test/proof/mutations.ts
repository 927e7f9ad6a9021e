import { METHODS } from 'node:http';
import type { Random } from '../support/random.ts';
import { brokenChunks, wrongLength } from './broken-framing.ts';
import { bodyBytesMax } from './fuzzed-server.ts';
import type { MutableRequest } from './mutable-request.ts';

type Mutation = (request: MutableRequest, random: Random) => void;

export function anyBytes(random: Random, max = 200): Buffer {
  if (max > 100 && random.below(4) === 0)
    return Buffer.from(
      random.pick([
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
        '\x16\x03\x01\0\xa5\x01\0\0\xa1\x03\x03\0\0\0\0',
        '\r\n\r\n\r\n',
        '\0\0\0\0\0\0\0\0',
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
        'GET',
        'GET /healthz\r\n\r\n',
        'get /healthz http/1.1\r\n\r\n',
        'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      ]),
      'latin1',
    );
  return Buffer.from(Array.from({ length: 1 + random.below(max) }, () => random.below(256)));
}

function randomText(random: Random, max: number, characters: string): string {
  return Array.from({ length: random.below(max) }, () => random.pick([...characters])).join('');
}

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
const highBytes = Array.from({ length: 128 }, (_, index) => String.fromCharCode(128 + index)).join('');
const control = '\0\x01\t\x0b\x0c\x1b\x7f';

/** Attempts to split a header or a target into two headers. */
const splits = ['\r\nX-Injected: 1', '\nX-Injected: 1', '\rX-Injected: 1', '%0d%0aX-Injected:%201', '\r\n '];

const hostileParts: readonly string[] = [
  ...[
    '%00',
    '%',
    '%4',
    '%zz',
    '%ff%fe',
    '%c0%af',
    '%ed%a0%80',
    '%2e%2e%2f',
    '%252f',
    '%F0%9F%99%82',
    '%u0041',
  ],
  ...[
    '..',
    '.',
    '//',
    ';a=b',
    '\\',
    '*',
    '|',
    '"',
    '<>',
    '{}',
    '__proto__',
    'constructor',
    '@preset/x',
    '~',
    '',
  ],
  ...[
    "'%20OR%201=1;--",
    '-1',
    '0',
    '1e999',
    '99999999999999999999',
    'a'.repeat(200),
    'x'.repeat(17_000),
    '+',
    ':',
  ],
];

const queries: readonly string[] = [
  ...[
    '?',
    '?=',
    '?&&&',
    '?a',
    '?%',
    '?%zz=1',
    '?%00=%00',
    '?a=%ff',
    '?__proto__=1',
    '?constructor[x]=1',
    '?a[]=1',
  ],
  ...['?limit=-1', '?limit=1e999', '?limit=NaN', '?limit=1&limit=2', '?offset=99999999999', '?offset=0x10'],
  ...[
    '?workspace_id=%00',
    '?workspace_id=',
    '?q=%00',
    '?q=%ED%A0%80',
    `?q=${'a%20'.repeat(100)}`,
    '?status=x',
  ],
  ...[
    '?cursor=%00',
    '?cursor=AAAA',
    '?since=never',
    '?against=%00',
    '?dry_run=maybe',
    '?dryrun=true',
    '#x',
    '?q=#',
  ],
];

const unusualValues: Readonly<Record<string, readonly string[]>> = {
  Authorization: [
    '',
    'Bearer',
    'Bearer ',
    'Basic eDp5',
    'Bearer \xff\xfe',
    `Bearer ${'k'.repeat(9_000)}`,
    'x',
  ],
  'X-Api-Key': ['', 'x', '\xe9', 'a, b'],
  'Content-Type': [
    ...[
      '',
      'text/plain',
      'application/json; charset=latin1',
      'application/json;',
      ';',
      'multipart/form-data',
      '/',
    ],
    ...['application/JSON', 'application/x-ndjson', 'a/b'.repeat(500), 'application/json, application/json'],
  ],
  'Content-Encoding': ['gzip', 'br', 'identity', '', 'gzip, gzip'],
  Expect: ['100-continue', '200-ok', ''],
  Upgrade: ['websocket', 'h2c', 'HTTP/3'],
  Connection: ['Upgrade', 'keep-alive', 'close, keep-alive', 'host', '', 'x'.repeat(100)],
  'Keep-Alive': ['timeout=999999999', ''],
  'If-Match': ['*', '"', '""', 'W/"1"', '"a", "b"', ','.repeat(500), '"\xff"', '"1"'],
  'If-None-Match': ['*', '"', 'W/"', '"x", *', '"'.repeat(999)],
  'Idempotency-Key': ['', 'a', 'x'.repeat(256), '\xff', ' a b ', '\t'],
  'X-Request-Id': ['', '"', 'x'.repeat(500), '{"a":1}', '\xff'],
  'X-Presetd-Dry-Run': ['true', 'false', 'TRUE', '', '1'],
  'X-Forwarded-For': ['1.2.3.4', 'x', '::1, "', ','.repeat(100)],
  'X-Session-Id': ['', 'x'.repeat(300)],
  Host: ['', 'a b', '[::1', 'x:99999', 'x, y', '\xff', 'x/y'],
  Range: ['bytes=0-', 'bytes=-1', 'bytes=9-1', 'x', 'bytes=0-0,1-1'],
  Accept: ['*/*;q=x', '', 'text/html', ','.repeat(300)],
  'Accept-Encoding': ['gzip', '*;q=0', 'x'],
  Cookie: ['a=b', '='.repeat(300), '\xff=\xff'],
  Origin: ['null', 'http://evil.example', ''],
  'If-Modified-Since': ['x', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  Trailer: ['Content-Length', 'X'],
  'Max-Forwards': ['0'],
  'X-Http-Method-Override': ['DELETE'],
};

const unusualValue = (values: Readonly<Record<string, readonly string[]>>): Mutation => {
  const names = Object.keys(values);
  return (request, random) => {
    const name = random.pick(names);
    // The new value replaces the old one; duplicate headers are another mutation.
    request.headers = request.headers.filter(([other]) => other !== name);
    request.headers.push([name, random.pick(values[name] ?? [''])]);
    // With these, the server may keep the connection open, wait for a body or change the protocol.
    if (['Connection', 'Upgrade', 'Expect', 'Host'].includes(name)) request.isComplete = false;
  };
};

/** The first ones keep the end of the request unambiguous. Repeated ones are picked more often. */
export const mutations: readonly (readonly [name: string, mutate: Mutation])[] = [
  [
    'a hostile path segment',
    (request, random) => {
      const parts = request.target.split('/');
      parts[1 + random.below(parts.length - 1)] = random.pick(hostileParts);
      request.target = parts.join('/') || '/';
    },
  ],
  [
    'a suffix to the path',
    (request, random) => {
      request.target += random.pick(['/', '//', ...hostileParts]);
    },
  ],
  [
    'a query',
    (request, random) => {
      request.target += random.pick(queries);
    },
  ],
  [
    'an unusual form of target',
    (request, random) => {
      const { target } = request;
      request.target = random.pick([
        ...[
          `http://localhost${target}`,
          `http://evil.example:1${target}`,
          `https://a@b${target}`,
          'http://',
          '*',
        ],
        ...[
          'localhost:80',
          `//evil.example${target}`,
          target.slice(1),
          `ftp://x${target}`,
          `${target}#${target}`,
        ],
      ]);
    },
  ],
  [
    'another method',
    (request, random) => {
      request.method = random.pick(METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD'));
    },
  ],
  ['an unusual header value', unusualValue(unusualValues)],
  ['an unusual header value', unusualValue(unusualValues)],
  [
    'an unknown header',
    (request, random) => {
      const name = `X-${randomText(random, 20, 'abc-_.!#$%&*+^`|~')}`;
      request.headers.push([name, randomText(random, 200, printable + highBytes)]);
    },
  ],
  [
    'no body',
    (request) => {
      request.body = undefined;
      request.headers = request.headers.filter(([name]) => name !== 'Content-Type');
    },
  ],
  [
    'a body that is not JSON',
    (request, random) => {
      request.body = random.pick<(body: Buffer) => Buffer>([
        () => anyBytes(random),
        (body) => body.subarray(0, random.below(body.length + 1)),
        (body) => Buffer.concat([body, anyBytes(random, 10)]),
        (body) => Buffer.from(body.toString('latin1').replace(/[a-z]/, '\xff'), 'latin1'),
        (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
        (body) => Buffer.from(body.toString(), 'utf16le'),
        () => Buffer.alloc(0),
        () => Buffer.from('['.repeat(1 + random.below(30_000))),
        () => Buffer.from(`{"a":${'{"a":'.repeat(random.below(5_000))}`),
      ])(request.body ?? Buffer.from('{"model":"m"}'));
    },
  ],
  [
    'a body of the wrong kind',
    (request, random) => {
      request.body = Buffer.from(
        random.pick([
          ...[
            'null',
            '[]',
            '""',
            '0',
            'true',
            '{}',
            '-',
            '{"a":1,"a":2}',
            '{"__proto__":{"x":1}}',
            '"\\ud800"',
          ],
          ...[
            '{"model":"a\\u0000b","messages":[]}',
            '{"model":1e999}',
            '{"messages":[{}]}',
            '[[[[]]]]',
            '\n\n',
          ],
          ...['{"name":"\\u0000"}', '{"email":"\\ud800@x"}', '{"version":99999999999}', '{"version":1.5}'],
          ...[
            '{"user_ids":["\\u0000"]}',
            '{"designated_version":0}',
            '{"description":"\\ud800"}',
            '{"slug":"\\u0000"}',
          ],
          `{"model":"m","user":"${'x'.repeat(bodyBytesMax)}"}`,
        ]),
      );
      if (!request.headers.some(([name]) => name === 'Content-Type'))
        request.headers.push(['Content-Type', 'application/json']);
    },
  ],
  [
    'a changed byte in the body',
    (request, random) => {
      const { body } = request;
      if (body === undefined || body.length === 0) return;
      request.body = Buffer.from(body);
      request.body[random.below(body.length)] = random.below(256);
    },
  ],

  [
    'an invalid method',
    (request, random) => {
      request.method = random.pick([
        ...[
          '',
          'get',
          'G ET',
          'CONNECT',
          'HEAD',
          'GETGETGET',
          '\0',
          '\xff',
          'A'.repeat(5_000),
          randomText(random, 9, printable),
        ],
      ]);
      request.isComplete = false;
    },
  ],
  [
    'an invalid target',
    (request, random) => {
      const { target } = request;
      request.target = random.pick([
        ...[
          '',
          ' ',
          `${target} x`,
          `${target}\t`,
          `${target}\0`,
          `${target}\xff\xfe`,
          `/${randomText(random, 60, printable)}`,
        ],
        ...[`/${randomText(random, 40, highBytes)}`, target + random.pick(splits), `/${'x'.repeat(20_000)}`],
      ]);
      request.isComplete = false;
    },
  ],
  [
    'an invalid version',
    (request, random) => {
      request.version = random.pick([
        ...[
          '',
          'HTTP/1.0',
          'HTTP/0.9',
          'HTTP/2.0',
          'HTTP/1.10',
          'HTTP/11',
          'http/1.1',
          'HTTP/1.1 ',
          'HTTPS/1.1',
          'X',
        ],
      ]);
      request.isComplete = false;
    },
  ],
  [
    'invalid line endings',
    (request, random) => {
      request.lineEnd = random.pick(['\n', '\r', '\r\r\n', ' \r\n', '\n\r', '\0\r\n']);
      request.isComplete = false;
    },
  ],
  [
    'an invalid header name',
    (request, random) => {
      request.headers.splice(random.below(request.headers.length + 1), 0, [
        random.pick([
          '',
          ' ',
          'a b',
          'a\tb',
          '\xe9',
          '\0',
          '(x)',
          ' Host',
          'X\r\n',
          ':',
          randomText(random, 9, control),
        ]),
        'x',
      ]);
      request.isComplete = false;
    },
  ],
  [
    'an invalid header value',
    (request, random) => {
      const { headers } = request;
      // Another mutation may have removed them all.
      if (headers.length === 0) return;
      const header = random.pick(headers);
      header[1] = random.pick([
        ...[
          header[1] + random.pick(splits),
          `\0${header[1]}`,
          randomText(random, 30, control),
          'x'.repeat(20_000),
        ],
        ...[`${header[1]}\r\n folded`, `${header[1]}\r\n\r\n`, '\x7f', '\r', ''],
      ]);
      request.isComplete = false;
    },
  ],
  [
    'a duplicate header',
    (request, random) => {
      if (request.headers.length === 0) return;
      const [name, value] = random.pick(request.headers);
      request.headers.push([name, random.pick([value, 'x', ''])]);
      request.isComplete = false;
    },
  ],
  [
    'a missing header',
    (request, random) => {
      request.headers.splice(random.below(request.headers.length), 1);
      request.isComplete = false;
    },
  ],
  [
    'many headers',
    (request, random) => {
      const count = random.pick([100, 1_000, 1_990, 2_100]);
      for (let index = 0; index < count; index += 1) request.headers.push([`x${index}`, '']);
      request.isComplete = false;
    },
  ],
  [
    'a very long header',
    (request, random) => {
      request.headers.push(['X-Long', 'x'.repeat(random.pick([15_000, 16_384, 17_000, 60_000]))]);
      request.isComplete = false;
    },
  ],
  ['an invalid length', wrongLength],
  ['an invalid length', wrongLength],
  ['malformed chunks', brokenChunks],
  ['malformed chunks', brokenChunks],
  ['malformed chunks', brokenChunks],
];
