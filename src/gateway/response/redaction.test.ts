import { describe, expect, it } from 'vitest';
import type { Upstream } from '../upstreams/upstream.ts';
import { containsSecret, redactBody, redactEvents, redactJson, redactText } from './redaction.ts';

const secret = 'sk/a"b\\c-Zz09+=';

describe('redaction', () => {
  it.each([
    ['literally', secret],
    ['as a JSON string', JSON.stringify(secret).slice(1, -1)],
    ['with an escaped slash', String.raw`sk\/a\"b\\c-Zz09+=`],
    ['with unicode escapes', String.raw`sk\u002fa\u0022b\u005cc\u002dZz09+=`],
    ['with escapes in capitals', String.raw`sk\u002Fa\u0022b\u005Cc\u002DZz09+=`],
    ['as JSON inside JSON', JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
  ])('finds a secret written %s', (_title, spelled) => {
    const upstream = withKey(secret);
    expect(containsSecret(`Bad key ${spelled}!`, upstream)).toBe(true);
    expect(redactText(`Bad key ${spelled}!`, upstream)).toBe('Bad key …!');
  });

  it('redacts the keys and values of JSON and keeps every other byte', () => {
    const spelled = String.raw`sk\u002dlong-enough`;
    const json = `{ "${spelled}" : [1.0, "x${spelled}y", 12345678901234567890, "\\u00e9"], "a":1, "a":"${spelled}" }`;
    expect(redactJson(json, withKey('sk-long-enough'))).toBe(
      '{ "…" : [1.0, "x…y", 12345678901234567890, "\\u00e9"], "a":1, "a":"…" }',
    );
  });

  it('never cuts an escape in half', () => {
    const json = '{"a":"line\\nabcdefgh","b":"nabcdefgh"}';
    expect(redactJson(json, withKey('nabcdefgh'))).toBe('{"a":"line\\nabcdefgh","b":"…"}');
  });

  it('replaces the longer of two secrets with a common prefix', () => {
    const upstream = withKey('sk-long-enough', { 'x-token': 'sk-long-enough-and-more' });
    expect(redactText('sk-long-enough-and-more sk-long-enough', upstream)).toBe('… …');
  });

  const leak = String.raw`bad key sk\u002dlong-enough`;

  it.each([
    ['an error', `{"error":{"message":"${leak}"}}`],
    ['an error whose key is escaped', String.raw`{"\u0065rror":"${leak}"}`],
    ['an object of type error', `{"object":"error","message":"${leak}"}`],
    ['an event of type error', `{"type":"error","message":"${leak}"}`],
    ['an object of unknown shape', `{"message":"${leak}"}`],
    ['a choice with an error', `{"choices":[{"index":0,"error":{"message":"${leak}"}}]}`],
    ['one of two choices', `{"choices":[{"index":0},{"index":1,"error":{"message":"${leak}"}}]}`],
    ['a failed response', `{"type":"response.failed","response":{"error":{"message":"${leak}"}}}`],
  ])('redacts %s in a stream and in a body with status 200', (_title, json) => {
    const upstream = withKey('sk-long-enough');
    const redacted = json.replace(leak, 'bad key …');
    expect(redactBody(Buffer.from(json), upstream).toString()).toBe(redacted);
    const lines = (data: string) => `event: error\ndata: ${data}\n\n`;
    expect(redactEvents(Buffer.from(lines(json)), upstream).toString()).toBe(lines(redacted));
  });

  it.each([
    ['of chat completions', `{"choices":[{"delta":{"content":"${leak}"}}],"error":null}`],
    ['of messages', `{"type":"content_block_delta","delta":{"text":"${leak}"}}`],
    ['of responses', `{"object":"response","error":null,"output":[{"text":"${leak}"}]}`],
  ])('keeps every byte of a completion %s', (_title, json) => {
    const upstream = withKey('sk-long-enough');
    const body = Buffer.from(json);
    expect(redactBody(body, upstream)).toBe(body);
    const lines = `data: ${json}\n\n`;
    expect(redactEvents(Buffer.from(lines), upstream).toString()).toBe(lines);
  });

  it('returns text unchanged if the upstream has no secret', () => {
    expect(redactText('any\\text', withKey(undefined))).toBe('any\\text');
  });
});

function withKey(key: string | undefined, headers: Upstream['headers'] = {}): Upstream {
  return {
    name: 'any',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1',
    dialects: ['chat-completions'],
    key: { variable: 'ANY_KEY', secret: key },
    models: ['*'],
    stripPrefix: '',
    headers,
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
    concurrencyMax: undefined,
    queueMax: 0,
    prices: [],
    endpoints: [],
  };
}
