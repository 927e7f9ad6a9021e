import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  creatingOperations,
  inferenceOperations,
  organizationOperations,
  presetOperations,
} from '../support/every-operation.ts';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type NamedRequest, unknownNames } from '../support/sample-requests.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { dialects } from '../support/wire/recordings.ts';
import { logProgress, scale } from './scale.ts';

let upstream: ScriptedUpstream;
let server: GatewayServer;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  server = await startWithUpstream(upstream);
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

const operations = {
  ...presetOperations,
  ...inferenceOperations,
  ...creatingOperations,
  ...organizationOperations,
};

describe('a body that attempts prototype pollution', () => {
  const polluting = ['"__proto__":{"polluted":1}', '"constructor":{"prototype":{"polluted":1}}'];
  const prototypes = () => [
    Reflect.ownKeys(Object.prototype).length,
    Reflect.ownKeys(Array.prototype).length,
    Reflect.ownKeys(Function.prototype).length,
    'polluted' in {},
  ];

  it('changes no prototype, in any operation', async () => {
    const before = prototypes();
    for (const [operationId, requestsOf] of Object.entries(operations)) {
      for (const request of requestsOf(unknownNames()).filter(({ method }) => method !== 'DELETE')) {
        for (const hostile of hostileForms(request)) {
          const { method, path, body, headers = {} } = hostile;
          const key = operationId in organizationOperations ? managementKey : apiKey;
          const { status } = await server.send(method, `/api/v1${path}`, body, { key, headers });
          expect([operationId, path, status < 500]).toEqual([operationId, path, true]);
        }
      }
    }
    expect(prototypes()).toEqual(before);
  });

  it('is returned unchanged in versions, diffs, exports and upstream requests', async () => {
    const before = prototypes();
    const tool = (word: string) =>
      `{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"__proto__":{"const":"${word}"},"constructor":{"prototype":{"a":12345678901234567890}}}}}}`;
    const slug = '__proto__';
    for (const word of ['one', 'two']) {
      const sent = `{"model":"vendor/model","messages":[{"role":"user","content":"x"}],"tools":[${tool(word)}]}`;
      const created = await server.post(`/api/v1/presets/${slug}/chat/completions`, sent);
      expect([created.status, created.text]).toEqual([200, expect.stringContaining(tool(word))]);
    }
    const compared = await server.get(`/api/v1/presets/${slug}/versions/2/diff`, { key: apiKey });
    expect(compared.body.data.config_patch).toEqual([
      { op: 'replace', path: expect.stringContaining('/__proto__/const'), value: 'two' },
    ]);
    const exported = await server.get('/api/v1/export', { key: apiKey });
    expect(exported.text).toContain(tool('one'));
    for (const dialect of dialects) {
      upstream.clear();
      const question = { model: `@preset/${slug}`, messages: [{ role: 'user', content: 'x' }], input: 'x' };
      expect((await server.call(question, { dialect })).status).toBe(200);
      expect(upstream.requests[0]?.bytes.toString()).toContain(
        '"__proto__":{"const":"two"},"constructor":{"prototype":{"a":12345678901234567890}}',
      );
    }
    expect(prototypes()).toEqual(before);
  });

  function hostileForms(request: NamedRequest): readonly NamedRequest[] {
    const query = `${request.path.includes('?') ? '&' : '?'}__proto__[polluted]=1&__proto__.polluted=1&constructor[prototype][polluted]=1`;
    const withQuery = { ...request, path: request.path + query };
    if (typeof request.body !== 'object') return [withQuery];
    const plain = JSON.stringify(request.body);
    return [
      { ...withQuery, body: `{${polluting.join(',')}}` },
      ...polluting.flatMap((text) => [
        { ...request, body: plain.replace('{', `{${text},`).replace(',}', '}') },
        { ...request, body: plain.replace(/:("[^"]*"|\d+)/, `:{${text}}`) },
      ]),
    ];
  }
});

describe('a body that is slow to process', () => {
  const size = scale(300_000, 24_000_000);
  const filled = (part: string, separator = ',') =>
    Array.from({ length: Math.ceil(size / (part.length + 1)) }, () => part).join(separator);
  const keys = (value: string, prefix = 'k') => {
    const one = prefix.length + value.length + 10;
    return Array.from({ length: size / one }, (_, index) => `"${prefix}${index}":${value}`).join(',');
  };
  const number = '12345678901234567890';

  const plain = () => `{"model":"m","input":[${filled('{"role":"user","content":"Where is my parcel?"}')}]}`;
  const bodies: Readonly<Record<string, () => string>> = {
    'a single string': () => `{"model":"m","input":"${'a'.repeat(size)}"}`,
    'a string of escapes': () => `{"model":"m","input":"${'\\u0061'.repeat(size / 6)}"}`,
    'a string of quotes': () => `{"model":"m","input":"${'\\"'.repeat(size / 2)}"}`,
    numbers: () => `{"model":"m","x":[${filled('1')}]}`,
    'numbers, one with many digits': () => `{"model":"m","x":[${filled('1')},${number}]}`,
    'strings and a number with many digits': () => `{"model":"m","x":[${filled('""')},${number}]}`,
    'numbers with many digits': () => `{"model":"m","x":[${filled(number)}]}`,
    'numbers close to zero': () => `{"model":"m","x":[${filled('1e-999999')}]}`,
    'a number with very many digits': () => `{"model":"m","x":${'9'.repeat(size)}}`,
    'a number with very many zeros': () => `{"model":"m","temperature":0.${'0'.repeat(size)}1}`,
    'empty lists': () => `{"model":"m","x":[${filled('[]')}]}`,
    'empty objects': () => `{"model":"m","x":[${filled('{}')}]}`,
    'many keys': () => `{"model":"m","x":{${keys('1')}}}`,
    'many fields': () => `{"model":"m",${keys('1')}}`,
    'many escaped keys': () => `{"model":"m","x":{${keys('1', '\\u0061')}}}`,
    'deep nesting': () => `{"model":"m","x":[${filled('['.repeat(250) + ']'.repeat(250))}]}`,
    'unclosed arrays': () => '['.repeat(size),
    'unclosed objects': () => '{"a":'.repeat(size / 5),
    'line breaks before a syntax error': () => `${'\n'.repeat(size)}x`,
    'line breaks before a duplicate key': () => `{"a":1,${'\n'.repeat(size)}"a":1}`,
    'syntax errors': () => `[${','.repeat(size)}`,
    'wrong items': () => `{"model":"m","input":[${filled('1')}]}`,
    'unknown items': () => `{"model":"m","input":[${filled('{"type":"x"}')}]}`,
    'unknown parts': () => `{"model":"m","input":[{"role":"user","content":[${filled('{"type":"x"}')}]}]}`,
    'unknown tools': () => `{"model":"m","tools":[${filled('{"type":"x"}')}]}`,
    'tools of the last known type': () => `{"model":"m","tools":[${filled('{"type":"image_generation"}')}]}`,
    'unknown plugins': () => `{"model":"m","plugins":[${filled('{"id":"x"}')}]}`,
    'system messages': () => `{"model":"m","input":[${filled('{"role":"system","content":"x"}')}]}`,
  };

  /**
   * Measured: up to five times a plain body, and twelve at full size; single tries on a busy
   * machine, up to seventeen. Before there were limits, it was thirty.
   */
  const ratioMax = 16;

  /** CPU time of this thread, client and server, so that other processes do not affect it. */
  const costOf = async (path: string, body: string): Promise<number> => {
    const before = process.threadCpuUsage();
    // Calls must not reach an upstream; captures are stored.
    const isCall = !path.includes('/presets/');
    const { status } = await server.post(path, body, {
      headers: isCall ? { 'x-presetd-dry-run': 'true' } : {},
    });
    const { user, system } = process.threadCpuUsage(before);
    expect(status).toBeLessThan(500);
    return (user + system) / 1_000;
  };
  const leastOf = async (path: string, body: string): Promise<number> =>
    Math.min(await costOf(path, body), await costOf(path, body), await costOf(path, body));

  /**
   * The cost in units of a plain body: the least of up to ten tries, because whatever else the
   * machine does, and the garbage of earlier bodies, only adds to it. Nearly always, one try
   * suffices.
   */
  const ratioOf = async (path: string, body: string, plainMs: number): Promise<number> => {
    let leastMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 10 && leastMs >= ratioMax * plainMs; tries += 1)
      leastMs = Math.min(leastMs, await costOf(path, body));
    return leastMs / plainMs;
  };

  it.each(['/presets/slow', ''])(
    'costs at most 16 times a plain body of the same size at %s/responses',
    async (prefix) => {
      const path = `/api/v1${prefix}/responses`;
      await costOf(path, plain());
      const plainMs = await leastOf(path, plain());
      for (const [name, body] of Object.entries(bodies)) {
        const ratio = await ratioOf(path, body(), plainMs);
        logProgress(
          `${path}: ${name}: ${ratio.toFixed(1)} times a plain body of ${size} bytes, ${plainMs.toFixed(0)} ms`,
        );
        expect([name, ratio < ratioMax ? 'bounded' : ratio]).toEqual([name, 'bounded']);
      }
    },
  );

  it('costs at most 16 times a plain body in the other dialects', async () => {
    const parts = filled('{"type":"x"}');
    for (const path of ['chat/completions', 'messages']) {
      const fullPath = `/api/v1/presets/slow/${path}`;
      const body = (content: string, rest = '') =>
        `{"model":"m","max_tokens":5,"messages":[${content}]${rest}}`;
      const plainMs = await leastOf(
        fullPath,
        body(filled('{"role":"user","content":"Where is my parcel?"}')),
      );
      for (const [name, text] of Object.entries({
        parts: body(`{"role":"user","content":[${parts}]}`),
        tools: body('{"role":"user","content":"x"}', `,"tools":[${parts}]`),
        roles: body(filled('{"role":"x"}')),
      })) {
        const ratio = await ratioOf(fullPath, text, plainMs);
        logProgress(`${fullPath}: ${name}: ${ratio.toFixed(1)} times a plain body`);
        expect([path, name, ratio < ratioMax ? 'bounded' : ratio]).toEqual([path, name, 'bounded']);
      }
    }
  });
});
