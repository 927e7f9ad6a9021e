import { describe, expect, it } from 'vitest';
import type { ErrorDetails } from '../../dialects/model/error-details.ts';
import { StreamRelay } from './stream-relay.ts';

const stream = [
  ': a comment\n\n',
  'event: first\ndata: {"text":"näh"}\n\n',
  'event: second\r\ndata: {"text":"x"}\r\n\r\n',
  'data: [DONE]\n\n',
].join('');
const bytes = Buffer.from(stream);
const format = {
  hasFinished: (tail: string) => /data: \[DONE\]\n/.test(`${tail}\n`),
  errorEvent: ({ message }: ErrorDetails, sent: string) =>
    `event: error\ndata: ${JSON.stringify({ message, sent })}\n\n`,
};
const error: ErrorDetails = { status: 502, message: 'broken', requestId: 'r' };

/** Events of several lines: JSON, between other fields and with CRLF, text, and after a comment. */
const several = [
  ': a comment\n\n',
  'event: first\ndata: {"text":\ndata:   "näh"\ndata:}\n\n',
  'id: 1\r\ndata: {\r\ndata: "text": "\u2028", "a": [1,\r\ndata: 2]}\r\nevent: second\r\n\r\n',
  'data: not\ndata: JSON\n\n',
  ': no data:\ndata: {"text":"x"}\n\n',
  'data: [DONE]\n\n',
].join('');

/** Relays a stream in chunks of some size. */
function relayAll(bytes: Buffer, size: number) {
  const relay = new StreamRelay(format);
  const passed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const lines = relay.push(bytes.subarray(at, at + size));
    if (lines !== undefined) passed.push(lines);
  }
  const { rest, isFinished } = relay.end();
  return { text: Buffer.concat([...passed, rest ?? Buffer.alloc(0)]).toString('utf8'), isFinished, passed };
}

describe('StreamRelay', () => {
  it('relays every byte, however the stream is split into chunks', () => {
    for (let size = 1; size <= bytes.length; size += 1)
      expect(relayAll(bytes, size)).toMatchObject({ text: stream, isFinished: true });
  });

  it('relays every byte of a stream whose events are not separated', () => {
    const dense = 'data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n';
    for (let size = 1; size <= dense.length; size += 1)
      expect(relayAll(Buffer.from(dense), size)).toMatchObject({ text: dense, isFinished: true });
  });

  it('puts JSON of several lines into one, however the stream is split into chunks', () => {
    const all = Buffer.from(several);
    const expected = eventsOf(several).map(({ name, data }) => ({ name, data: tryParse(data) }));
    for (let size = 1; size <= all.length; size += 1) {
      const { text, isFinished, passed } = relayAll(all, size);
      expect(isFinished).toBe(true);
      expect(eventsOf(text).map(({ name, data }) => ({ name, data: tryParse(data) }))).toEqual(expected);
      expect(text).toContain('event: first\ndata: {"text":   "näh" }\n\n');
      expect(text).toContain('id: 1\r\ndata: { "text": "\u2028", "a": [1, 2]}\r\nevent: second\r\n\r\n');
      expect(text).toContain('data: not\ndata: JSON\n\n');
      // Whatever reads what is passed on can parse every object in it.
      for (const each of passed)
        for (const [line] of each.toString('utf8').matchAll(/(?<=\ndata: )\{[^\r\n]*/g))
          expect(tryParse(line)).toBeTypeOf('object');
    }
  });

  it.each(['\n', '\r\n'])('forwards all of an event before an incomplete one, with %j', (lineBreak) => {
    const [event, part] = ['data: {"a":1}\n\n', 'data: {"b":\n'].map((text) =>
      text.replaceAll('\n', lineBreak),
    );
    expect(new StreamRelay(format).push(Buffer.from(`${event}${part}`))?.toString()).toBe(event);
  });

  it.each<[chunks: readonly string[], forwarded: readonly (string | undefined)[]]>([
    [[': ping\n'], [': ping\n']],
    [['data: {\n'], [undefined]],
    [
      ['data: {\n', 'data: }\n', '\n'],
      [undefined, undefined, 'data: { }\n\n'],
    ],
    [
      ['data: {\n', 'data: }\n', '\r', '\n'],
      [undefined, undefined, undefined, 'data: { }\n\r\n'],
    ],
    [
      ['x'.repeat(32), '\n'],
      [undefined, `${'x'.repeat(32)}\n`],
    ],
    [
      ['x'.repeat(32), 'y'],
      [undefined, `${'x'.repeat(32)}y`],
    ],
    [[`data: 1\n\n${'x'.repeat(32)}`], ['data: 1\n\n']],
    [[`data: 1\n\n${'x'.repeat(33)}`], [`data: 1\n\n${'x'.repeat(33)}`]],
  ])('with room for 32 bytes, forwards the chunks %j as %j', (chunks, forwarded) => {
    const relay = new StreamRelay(format, 32);
    expect(chunks.map((chunk) => relay.push(Buffer.from(chunk))?.toString())).toEqual(forwarded);
  });

  it('a stream of which nothing was forwarded needs no line breaks', () => {
    const relay = new StreamRelay(format);
    relay.push(Buffer.from('data: 1'));
    expect(relay.separator).toBe('');
  });

  it('does not copy chunks of complete lines', () => {
    const piece = Buffer.from('data: 1\n\n');
    expect(new StreamRelay(format).push(piece)).toBe(piece);
  });

  it.each([stream, several])(
    'holds back an incomplete event, so that an error event is readable: %j',
    (all) => {
      const whole = Buffer.from(all);
      const expected = eventsOf(all).map(({ name, data }) => ({ name, data: tryParse(data) }));
      for (let cut = 0; cut <= whole.length; cut += 1) {
        const relay = new StreamRelay(format);
        const passed = relay.push(whole.subarray(0, cut)) ?? Buffer.alloc(0);
        const after = `${passed}${relay.separator}event: error\ndata: broken\n\n`;
        const events = eventsOf(after).map(({ name, data }) => ({ name, data: tryParse(data) }));
        expect(events.at(-1)).toEqual({ name: 'error', data: 'broken' });
        expect(expected.slice(0, events.length - 1)).toEqual(events.slice(0, -1));
      }
    },
  );

  it('forwards an incomplete line that exceeds the buffer limit', () => {
    const relay = new StreamRelay(format);
    const half = Buffer.alloc(600_000, 'x');
    expect(relay.push(half)).toBeUndefined();
    expect(relay.push(half)?.length).toBe(1_200_000);
    expect(relay.separator).toBe('\n\n');
  });

  it('keeps an event up to the limit that it is given', () => {
    const relay = new StreamRelay(format, 2_000_000);
    const event = `data: {"a":"${'x'.repeat(1_500_000)}"}\n`;
    expect(relay.push(Buffer.from(event.slice(0, 1_200_000)))).toBeUndefined();
    expect(relay.push(Buffer.from(event.slice(1_200_000)))?.toString()).toBe(event);
  });

  it('forwards an incomplete event that exceeds the buffer limit, as it is', () => {
    const line = `data: "${'x'.repeat(300_000)}",\n`;
    const all = `data: [\n${line.repeat(5)}data: 1]\n\ndata: [DONE]\n\n`;
    const { text, isFinished, passed } = relayAll(Buffer.from(all), 65_536);
    expect(text).toBe(all);
    expect(isFinished).toBe(true);
    expect(passed.length).toBeGreaterThan(1);
  });

  it('forwards all of a chunk whose last line exceeds the buffer limit', () => {
    const all = `data: {"a":1}\n\ndata: {"b":"${'x'.repeat(1_200_000)}`;
    expect(new StreamRelay(format).push(Buffer.from(all))?.toString('utf8')).toBe(all);
  });

  it('reports a stream as unfinished if its last line is incomplete', () => {
    const relay = new StreamRelay(format);
    relay.push(Buffer.from('data: 1\n\ndata: [DO'));
    expect(relay.end()).toEqual({ rest: undefined, isFinished: false });
  });

  it.each([
    ['"n"', 'data: {"n":0}\n\n'],
    ['"none"', ''],
  ])('an error event gets the first event that has the field %s', (startField, start) => {
    const relay = new StreamRelay({ ...format, startField });
    relay.push(Buffer.from(': a comment\n\ndata: {"type":"keepalive"}\n\n'));
    for (let n = 0; n < 20; n += 1) relay.push(Buffer.from(`data: {"n":${n}}\n\n`));
    const { sent } = JSON.parse(eventsOf(relay.fail(error))[0]?.data ?? '');
    expect(sent.startsWith(`${start}data: {"n":14}`)).toBe(true);
    expect(sent.endsWith('data: {"n":19}\n\n')).toBe(true);
  });

  it('forwards a last event without its line breaks, in one line', () => {
    const relay = new StreamRelay({ ...format, hasFinished: (tail) => tail.includes('last') });
    relay.push(Buffer.from('data: 1\n\nevent: end\ndata: {"a":\ndata: "last"}'));
    const { rest, isFinished } = relay.end();
    expect([rest?.toString('utf8'), isFinished]).toEqual(['event: end\ndata: {"a": "last"}', true]);
    expect(relay.separator).toBe('\n\n');
  });

  it.each([
    ['data: {"a":1}\n\n', true],
    ['data: {"a":1}\n', true],
    ['data: {"a":1}', true],
    ['', true],
    ['data: {"a":1}\n\ndata: {"b"', false],
    ['data: {"a":1}\n\nevent: b', false],
    ['data: {"a":1}\n\ndata: {"b":\n', false],
    ['data: {"a":1}\n\ndata: hello\n', true],
    ['data: {"a":1}\n\nevent: b\rdata: {"b":1}', true],
  ])('a stream that may end anywhere is finished after %j: %s', (text, expected) => {
    const relay = new StreamRelay({ ...format, hasFinished: () => false, canEndAnywhere: true });
    const sent = relay.push(Buffer.from(text))?.toString() ?? '';
    const { rest, isFinished } = relay.end();
    expect(isFinished).toBe(expected);
    if (expected) expect(sent + (rest?.toString() ?? '')).toBe(text);
  });
});

/** Parses events as the specification says: an event without data is ignored. */
function eventsOf(text: string): { name: string; data: string }[] {
  const events: { name: string; data: string }[] = [];
  let [name, data]: [string, string[]] = ['', []];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('event: ')) name = line.slice(7);
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    if (line !== '') continue;
    if (data.length > 0) events.push({ name, data: data.join('\n') });
    [name, data] = ['', []];
  }
  return events;
}

function tryParse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
