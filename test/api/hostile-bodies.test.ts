import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines, strictestEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const path = '/api/v1/presets/hostile/responses';

describe('hostile bodies', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(strictestEngine);
  });
  afterAll(() => server.stop());

  it.each([
    ['an empty body', '', 'The request body is empty. Send a JSON object.'],
    ['whitespace', ' \n ', 'The request body is empty. Send a JSON object.'],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 'not valid JSON at line 3, column 3: comma expected.'],
    ['a trailing comma', '{"a":1,}', 'not valid JSON at line 1, column 8: property name expected.'],
    ['a truncated body', '{"a":', 'not valid JSON at line 1, column 6: value expected.'],
    ['a bare word', 'model', 'not valid JSON at line 1, column 1'],
    ['a comment', '{/* x */}', 'not valid JSON at line 1, column 2'],
    ['single quotes', "{'a':1}", 'not valid JSON at line 1, column 2'],
    ['two values', '{}{}', 'not valid JSON at line 1, column 3'],
    ['NaN', '{"a":NaN}', 'not valid JSON at line 1, column 6'],
    ['a raw control character', '{"a":"\u0001"}', 'not valid JSON at line 1, column'],
    ['a list', '[]', 'must be an object'],
    ['a string', '"x"', 'must be an object'],
    ['null', 'null', 'must be an object'],
    [
      'a duplicate key',
      '{"model":"a","model":"b"}',
      'repeats the key "model" in one object (line 1, column 14)',
    ],
    ['a nested duplicate key', '{"tools":[{"type":"x","type":"y"}]}', 'repeats the key "type"'],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'nests deeper than 256 levels'],
    ['deep nesting that is never closed', '['.repeat(100_000), 'not valid JSON'],
    ['deeply nested objects', '{"a":'.repeat(100_000), 'not valid JSON'],
    ['deep nesting with a syntax error', `${'['.repeat(50_000)}${']'.repeat(50_000)},`, 'not valid JSON'],
    [
      'a million syntax errors',
      `[${','.repeat(900_000)}`,
      'not valid JSON at line 1, column 2: value expected.',
    ],
    ['NUL in a saved string', '{"model":"a\\u0000b"}', '/model contains the character U+0000'],
    ['NUL in a saved key', '{"tools":[{"type":"x","a\\u0000":1}]}', 'contains the character U+0000'],
    [
      'NUL in the system prompt',
      '{"instructions":"a\\u0000b"}',
      'has a system prompt that contains the character U+0000',
    ],
    ['a lone surrogate', '{"model":"\\ud83d"}', '/model contains an unpaired surrogate'],
    ['a lone surrogate in the system prompt', '{"instructions":"\\ude42"}', 'contains an unpaired surrogate'],
  ])('400 for %s', async (_, body, message) => {
    const response = await server.post(path, body);
    expect(response.body?.error).toMatchObject({ code: 400, message: expect.stringContaining(message) });
  });

  it('400 for bytes that are not UTF-8', async () => {
    const response = await server.post(path, Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect(response.body.error).toMatchObject({
      code: 400,
      message: expect.stringContaining('not valid UTF-8'),
    });
  });

  it('400 for a capture without a body', async () => {
    const response = await server.post(path, '', { headers: { 'content-type': 'application/json' } });
    expect(response.status).toBe(400);
  });

  it.each(['/chat/completions', '/messages', '/responses'])(
    '400 for a call to %s without a body',
    async (call) => {
      expect(await server.send('POST', `/api/v1${call}`)).toMatchObject({
        status: 400,
        body: { error: { message: 'The request body is empty. Send a JSON object.' } },
      });
    },
  );

  it.each([
    ['a capture', path, 'application/json', (values: string) => `{"x":${values}}`],
    ['a call', '/api/v1/chat/completions', 'application/json', (values: string) => `{"x":${values}}`],
    ['an import', '/api/v1/import', 'application/x-ndjson', (values: string) => `${values}\n${values}`],
  ])('413 for %s with more JSON values than memory allows', async (_, target, type, bodyOf) => {
    for (const value of ['{}', '[]', '1']) {
      const values = Array(type === 'application/json' ? 1_000_001 : 500_001).fill(value);
      const response = await server.post(target, bodyOf(`[${values}]`), {
        headers: { 'content-type': type },
      });
      expect([response.status, response.body.error.message]).toEqual([
        413,
        'The request body has more than 1000000 JSON values. Send fewer.',
      ]);
    }
  });

  it('does not count punctuation inside strings as JSON values', async () => {
    const input = '{[,"\\'.repeat(400_000);
    expect((await server.post(path, { input })).status).toBe(200);
  });

  it('400 for a number that is too large for its field', async () => {
    expect((await server.post(path, '{"temperature":1e999}')).status).toBe(400);
  });

  it('a body with very many issues gets a bounded list of them', async () => {
    const response = await server.post(path, `{"input":[${'1,'.repeat(400_000)}1]}`);
    expect(response.status).toBe(400);
    expect(response.body.error.metadata.issues.length).toBeLessThanOrEqual(100);
  });
});

describe.each(engines)('unusual values that are saved on %s', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.stop());

  it('accepts a byte order mark at the start of a body', async () => {
    expect((await server.post(path, '\uFEFF{"model":"bom"}')).status).toBe(200);
  });

  it('saves __proto__ and constructor as plain keys without prototype pollution', async () => {
    const body =
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},' +
      '"tools":[{"type":"x","__proto__":{"polluted":true},"constructor":1,"toString":2}]}';
    const response = await server.post(path, body);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-presetd-ignored-fields')).toBe('__proto__, constructor');
    expect(response.text).toContain(
      '{"type":"x","__proto__":{"polluted":true},"constructor":1,"toString":2}',
    );
    expect('polluted' in {}).toBe(false);
  });

  it.each([
    '12345678901234567890123',
    '18446744073709551615',
    '1e999',
    '-1e-999',
    '0.1000000000000000055511151231257827',
    '9007199254740993',
  ])('saves the number %s digit for digit', async (number) => {
    const response = await server.post(
      path,
      `{"tools":[{"type":"x","parameters":{"maximum":${number},"b":[1.5]}}]}`,
    );
    expect(response.status).toBe(200);
    expect(response.text).toContain(
      `"config":{"tools":[{"type":"x","parameters":{"maximum":${number},"b":[1.5]}}]}`,
    );
  });

  it('saves Unicode text exactly', async () => {
    const text = 'Größe 日本語 🙂 \u2028 \u007f \\ " / \b\f\n\r\t \uffff';
    const response = await server.post(path, { model: text, instructions: text });
    expect(response.body.data.designated_version).toMatchObject({
      config: { model: text },
      system_prompt: text,
    });
  });

  it('accepts NUL and lone surrogates in fields that are not saved', async () => {
    expect((await server.post(path, '{"input":"a\\u0000b \\ud83d"}')).status).toBe(200);
  });
});
