import { describe, expect, it } from 'vitest';
import { StreamRelay } from './stream-relay.ts';

const stream = [
  ': a comment\n\n',
  'event: first\ndata: {"text":"näh"}\n\n',
  'event: second\r\ndata: {"text":"x"}\r\n\r\n',
  'data: [DONE]\n\n',
].join('');
const bytes = Buffer.from(stream);
const format = { hasFinished: (tail: string) => /data: \[DONE\]\n/.test(`${tail}\n`) };

describe('StreamRelay', () => {
  it('relays every byte, however the stream is split into chunks', () => {
    for (let size = 1; size <= bytes.length; size += 1) {
      const relay = new StreamRelay(format);
      const passed: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        const lines = relay.push(bytes.subarray(at, at + size));
        if (lines !== undefined) passed.push(lines);
      }
      const { rest, isFinished } = relay.end();
      expect(Buffer.concat([...passed, rest ?? Buffer.alloc(0)])).toEqual(bytes);
      expect(isFinished).toBe(true);
    }
  });

  it('does not copy chunks of complete lines', () => {
    const piece = Buffer.from('data: 1\n\n');
    expect(new StreamRelay(format).push(piece)).toBe(piece);
  });

  it('holds back an incomplete line, so that an error event after a break is readable', () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const relay = new StreamRelay(format);
      const passed = relay.push(bytes.subarray(0, cut)) ?? Buffer.alloc(0);
      const after = `${passed}${relay.separator}event: error\ndata: broken\n\n`;
      const events = eventsOf(after);
      expect(events.at(-1)).toEqual({ name: 'error', data: 'broken' });
      expect(eventsOf(stream).slice(0, events.length - 1)).toEqual(events.slice(0, -1));
    }
  });

  it('forwards an incomplete line that exceeds the buffer limit', () => {
    const relay = new StreamRelay(format);
    const half = Buffer.alloc(600_000, 'x');
    expect(relay.push(half)).toBeUndefined();
    expect(relay.push(half)?.length).toBe(1_200_000);
    expect(relay.separator).toBe('\n\n');
  });

  it('reports a stream as unfinished if its last line is incomplete', () => {
    const relay = new StreamRelay(format);
    relay.push(Buffer.from('data: 1\n\ndata: [DO'));
    expect(relay.end()).toEqual({ rest: undefined, isFinished: false });
  });
});

/** Parses events as the specification says: an event without data is ignored. */
function eventsOf(text: string): { name: string; data: string }[] {
  const events: { name: string; data: string }[] = [];
  let [name, data] = ['', ''];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('event: ')) name = line.slice(7);
    if (line.startsWith('data: ')) data += line.slice(6);
    if (line !== '') continue;
    if (data !== '') events.push({ name, data });
    [name, data] = ['', ''];
  }
  return events;
}
