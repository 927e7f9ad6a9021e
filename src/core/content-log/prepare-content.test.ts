import { describe, expect, it, vi } from 'vitest';
import { runToCompletion } from '../concurrency/cooperative-task.ts';
import type { RawContent } from './call-content.ts';
import { type ContentLogSettings, defaultContentLog } from './content-log-settings.ts';
import { prepareContent } from './prepare-content.ts';

const nothing: RawContent = {
  request: null,
  sent: null,
  sentDialect: null,
  response: null,
  failures: [],
  truncated: [],
};

const prepare = (raw: Partial<RawContent>, settings: Partial<ContentLogSettings> = {}) =>
  runToCompletion(prepareContent({ ...nothing, ...raw }, { ...defaultContentLog, ...settings }));

const jsonOf = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('the content of a call', () => {
  it('is what was sent and received, with all digits of its numbers', () => {
    const request = Buffer.from('{"seed":12345678901234567890,"messages":[{"content":"Hi"}]}');
    const content = prepare({ request, sent: 'no JSON', response: Buffer.from('{"ok":true}') });
    expect(JSON.stringify(content.request)).toBe(request.toString());
    expect(content).toMatchObject({ sent: 'no JSON', response: { ok: true }, truncated: [] });
  });

  it('is redacted in all of its strings and names', () => {
    const value = { 'ada@example.com': ['write to ada@example.com', { deep: 'x ada@example.com' }], n: 1 };
    const content = prepare(
      {
        request: jsonOf(value),
        sent: JSON.stringify(value),
        response: { value, bytes: 100 },
        failures: [{ upstream: 'u', status: 500, message: 'for ada@example.com', body: 'ada@example.com' }],
      },
      { redactionPatterns: ['[a-z]+@example\\.com'] },
    );
    const redacted = { '[redacted]': ['write to [redacted]', { deep: 'x [redacted]' }], n: 1 };
    expect(content).toMatchObject({ request: redacted, sent: redacted, response: redacted });
    expect(content.failures).toEqual([
      { upstream: 'u', status: 500, message: 'for [redacted]', body: '[redacted]' },
    ]);
  });

  it('never has the credentials of tools on other servers', () => {
    const tool = { type: 'mcp', authorization: 'secret-1', headers: { authorization: 'Bearer secret-2' } };
    const server = { type: 'url', url: 'https://mcp.example', authorization_token: 'secret-3' };
    const schema = { properties: { authorization: { type: 'string' }, headers: { type: 'object' } } };
    const { request } = prepare({ request: jsonOf({ tools: [tool, schema], mcp_servers: [server] }) });
    expect(JSON.stringify(request)).not.toContain('secret');
    expect(request).toMatchObject({ tools: [{ type: 'mcp' }, schema], mcp_servers: [{ type: 'url' }] });
  });

  it('has its longest strings cut if it is too long, so that its structure stays', () => {
    const image = `data:image/png;base64,${'A'.repeat(500_000)}`;
    const request = { messages: [{ role: 'user', content: [{ text: 'What is this?' }, { image }] }] };
    const { truncated, ...content } = prepare(
      { request: jsonOf(request), response: jsonOf({ text: 'A cat' }) },
      { bytesMax: 10_000 },
    );
    expect(truncated).toEqual(['request']);
    expect(content.response).toEqual({ text: 'A cat' });
    expect(JSON.stringify(content).length).toBeLessThan(10_000);
    expect(content.request).toMatchObject({
      messages: [
        {
          content: [
            { text: 'What is this?' },
            { image: expect.stringMatching(/^data.*AA… \[\d+ more characters\]$/) },
          ],
        },
      ],
    });
  });

  it.each([1_024, 5_000, 60_000])('is never larger than %i bytes', (bytesMax) => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({ text: `"short" ü ${index}` }));
    const long = 'ü"\n'.repeat(100_000);
    const failures = Array.from({ length: 30 }, () => ({
      upstream: 'u',
      status: 500,
      message: 'm'.repeat(200),
      body: null,
    }));
    for (const request of [many, [long, many], { a: long, b: 'x', many: many.slice(0, 9) }])
      for (const redactionPatterns of [[], ['x'], ['\\w']]) {
        const content = prepare(
          {
            request: jsonOf(request),
            sent: JSON.stringify(request),
            response: jsonOf(['x', many]),
            failures,
          },
          { bytesMax, redactionPatterns },
        );
        expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThanOrEqual(bytesMax);
        expect(content.truncated.length).toBeGreaterThan(0);
      }
  });

  it('a large request is measured once, in short steps, and no further than it has to be', () => {
    const measured = vi.spyOn(Buffer, 'byteLength');
    const texts = Array.from({ length: 100_000 }, (_, index) => `text ${index}`);
    const countsOf = (bytesMax: number) => {
      const task = prepareContent(
        { ...nothing, response: { value: { texts }, bytes: 1_500_000 } },
        { ...defaultContentLog, bytesMax },
      );
      const counts: number[] = [];
      for (let isDone = false; !isDone; ) {
        measured.mockClear();
        isDone = task.next().done === true;
        counts.push(measured.mock.calls.length);
      }
      return { longest: Math.max(...counts), total: counts.reduce((sum, count) => sum + count, 0) };
    };
    const whole = countsOf(4_194_304);
    const tooLarge = countsOf(262_144);
    measured.mockRestore();
    expect(whole.longest).toBeLessThanOrEqual(2_000);
    expect(whole.total).toBeLessThan(100_100);
    expect(tooLarge.longest).toBeLessThanOrEqual(2_000);
    expect(tooLarge.total).toBeLessThan(30_000);
  });

  it('a secret at the place where a string is cut is redacted', () => {
    for (let shift = 0; shift < 12; shift += 1) {
      const text = `${'.'.repeat(256 - shift)}SECRET-12345${'.'.repeat(5_000)}`;
      const { request } = prepare(
        { request: jsonOf([text, 'x'.repeat(9_000)]) },
        { bytesMax: 1_024, redactionPatterns: ['SECRET-[0-9]{5}'] },
      );
      expect(JSON.stringify(request)).not.toMatch(/SEC|123/);
    }
  });
});
