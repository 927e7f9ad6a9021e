import { describe, expect, it } from 'vitest';
import { prettyLine } from './pretty-log.ts';

const time = new Date(2026, 7, 1, 9, 5, 7, 42).getTime();
const plain = { isShared: false, paint: (_style: unknown, text: string) => text };
const entry = (fields: object) =>
  `${JSON.stringify({ level: 30, time, pid: 7, hostname: 'vm', ...fields })}\n`;

describe('prettyLine', () => {
  it.each([
    [{ msg: 'stopped' }, '09:05:07.042 INFO  stopped\n'],
    [
      { level: 40, upstream: 'a b', count: 3, list: ['x'], msg: 'slow' },
      '09:05:07.042 WARN  slow  upstream="a b" count=3 list=["x"]\n',
    ],
    [
      { reqId: 'r1', method: 'GET', route: '/api/v1/presets', status: 401, ms: 1.16, msg: 'request' },
      '09:05:07.042 INFO  GET /api/v1/presets 401 1.16 ms  reqId=r1\n',
    ],
    [
      { reqId: 'r1', method: 'GET', status: 404, ms: 2, msg: 'request' },
      '09:05:07.042 INFO  GET (unknown route) 404 2 ms  reqId=r1\n',
    ],
    [{ level: 60, msg: 'x' }, '09:05:07.042 FATAL x\n'],
    [{ level: 50, msg: 'x' }, '09:05:07.042 ERROR x\n'],
    [{ level: 20, msg: 'x' }, '09:05:07.042 DEBUG x\n'],
    [{ level: 10, msg: 'x' }, '09:05:07.042 TRACE x\n'],
    [
      {
        level: 50,
        reqId: 'r1',
        err: { type: 'Error', message: 'm', stack: 'Error: m\n    at f', code: 'E' },
        msg: 'x',
      },
      '09:05:07.042 ERROR x  reqId=r1\n    Error: m\n        at f\n    code=E\n',
    ],
    [{ err: { message: 'no stack' }, msg: 'x' }, '09:05:07.042 INFO  x\n    no stack\n'],
  ])('formats %j', (fields, line) => {
    expect(prettyLine(entry(fields), plain)).toBe(line);
  });

  it('a line shows the process id if several processes share a terminal', () => {
    expect(prettyLine(entry({ msg: 'x' }), { ...plain, isShared: true })).toBe('09:05:07.042 [7] INFO  x\n');
  });

  it('control characters are escaped in every part of a line', () => {
    const evil = '\u001b[2J\u009b\u202e\r\n';
    const fields = {
      ...{ msg: evil, [evil]: evil, plain: evil.trim(), list: [evil] },
      err: { message: evil, stack: `a${evil}b`, [evil]: evil },
    };
    for (const text of [
      entry(fields),
      entry({ ...fields, method: evil, route: evil, status: 1, msg: 'request' }),
    ]) {
      const line = prettyLine(text, plain);
      expect(line).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
      expect(line).toContain('\\u001b[2J\\u009b\\u202e');
    }
  });

  it.each(['not JSON\u001b\n', '{"level":30,"msg":5}\n'])(
    'prints a line it cannot parse unchanged, apart from control characters: %j',
    (line) => {
      expect(prettyLine(line, plain)).toBe(line.replace('\u001b', '\\u001b'));
    },
  );
});
