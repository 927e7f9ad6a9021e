import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { type Endpoint, endpoints } from './endpoint.ts';
import { type UpstreamKind, upstreamKinds } from './upstream.ts';
import { readUpstreamFile } from './upstream-file.ts';
import { upstreamFile } from './upstream-file-schema.ts';
import { kinds } from './upstream-kinds.ts';

const environment = { OPENAI_API_KEY: 'sk-openai', WRONG_KEY: 'hush hush', EMPTY_KEY: '' };

function read(text: string) {
  return readUpstreamFile(text, 'presetd.yaml', environment);
}

/** A valid upstream followed by the given lines; the first of them is line 4. */
function withLines(...lines: readonly string[]): string {
  return ['upstreams:', '  - name: a', '    kind: openai', ...lines.map((line) => `    ${line}`)].join('\n');
}

describe('readUpstreamFile', () => {
  it.each<[UpstreamKind, string, readonly Dialect[], string | undefined]>([
    ['openrouter', 'https://openrouter.ai/api/v1', dialects, 'OPENROUTER_API_KEY'],
    ['openai', 'https://api.openai.com/v1', ['chat-completions', 'responses'], 'OPENAI_API_KEY'],
    ['anthropic', 'https://api.anthropic.com/v1', ['messages'], 'ANTHROPIC_API_KEY'],
    [
      'gemini',
      'https://generativelanguage.googleapis.com/v1beta/openai',
      ['chat-completions'],
      'GEMINI_API_KEY',
    ],
    ['mistral', 'https://api.mistral.ai/v1', ['chat-completions'], 'MISTRAL_API_KEY'],
    ['groq', 'https://api.groq.com/openai/v1', ['chat-completions'], 'GROQ_API_KEY'],
    ['together', 'https://api.together.ai/v1', ['chat-completions'], 'TOGETHER_API_KEY'],
    ['fireworks', 'https://api.fireworks.ai/inference/v1', dialects, 'FIREWORKS_API_KEY'],
    ['deepseek', 'https://api.deepseek.com', ['chat-completions', 'responses'], 'DEEPSEEK_API_KEY'],
    ['xai', 'https://api.x.ai/v1', ['chat-completions', 'responses'], 'XAI_API_KEY'],
    ['ollama', 'http://127.0.0.1:11434/v1', dialects, undefined],
    ['vllm', 'http://127.0.0.1:8000/v1', dialects, undefined],
  ])('needs only a name for the kind %s', (kind, baseUrl, supported, variable) => {
    const { settings, problems } = read(`upstreams:\n  - name: a\n    kind: ${kind}\n`);
    expect(problems).toEqual([]);
    const secret = kind === 'openai' ? 'sk-openai' : undefined;
    expect(settings).toEqual({
      attemptsMax: 4,
      upstreams: [
        {
          name: 'a',
          kind,
          baseUrl,
          dialects: supported,
          endpoints: kinds[kind].endpoints,
          key: variable === undefined ? undefined : { variable, secret },
          models: ['*'],
          stripPrefix: '',
          headers: {},
          timeouts: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 1_800_000 },
          concurrencyMax: undefined,
          queueMax: 0,
          prices: [],
        },
      ],
    });
  });

  it.each<[UpstreamKind, readonly Dialect[], string | undefined]>([
    ['azure-openai', ['chat-completions', 'responses'], 'AZURE_OPENAI_API_KEY'],
    ['openai-compatible', ['chat-completions'], undefined],
  ])('needs a base URL for the kind %s', (kind, supported, variable) => {
    const entry = `{ name: a, kind: ${kind}, base_url: "https://a.openai.azure.com/openai/v1/" }`;
    expect(read(`upstreams: [${entry}]`).settings?.upstreams).toMatchObject([
      {
        baseUrl: 'https://a.openai.azure.com/openai/v1',
        dialects: supported,
        key: variable && { variable },
      },
    ]);
    expect(read(`upstreams: [{ name: a, kind: ${kind} }]`).problems).toEqual([
      expect.stringContaining('upstreams[0].base_url is missing'),
    ]);
  });

  it('rejects a configured header that would override the key of its kind', () => {
    const entry = (kind: string) => ({
      name: 'a',
      kind,
      base_url: 'https://a/v1',
      headers: { 'Api-Key': 'k' },
    });
    expect(read(JSON.stringify({ upstreams: [entry('azure-openai')] })).problems).toEqual([
      expect.stringContaining('headers.Api-Key is set by presetd; name the environment variable'),
    ]);
    expect(read(JSON.stringify({ upstreams: [entry('openai-compatible')] })).problems).toEqual([]);
  });

  it('accepts JSON with every setting given', () => {
    const { settings } = read(
      JSON.stringify({
        attempts_max: 2,
        upstreams: [
          {
            name: 'local_1',
            kind: 'openai-compatible',
            base_url: 'https://h/v1',
            dialects: ['responses', 'messages'],
            endpoints: ['embeddings', 'audio/speech'],
            api_key_env: 'OPENAI_API_KEY',
            models: ['local/*', 'llama'],
            strip_prefix: 'local/',
            headers: { 'X-Title': 'presetd' },
            timeouts: { connect_ms: 1, first_byte_ms: 2, idle_ms: 3, total_ms: 4 },
            concurrency_max: 5,
            queue_max: 0,
            prices: {
              'local/*': { input_per_million: 0.5, output_per_million: 2, cached_input_per_million: 0.1 },
              llama: { cache_write_per_million: 1, request: 0.01 },
            },
          },
        ],
      }),
    );
    expect(settings).toEqual({
      attemptsMax: 2,
      upstreams: [
        {
          name: 'local_1',
          kind: 'openai-compatible',
          baseUrl: 'https://h/v1',
          dialects: ['responses', 'messages'],
          endpoints: ['embeddings', 'audio/speech'],
          key: { variable: 'OPENAI_API_KEY', secret: 'sk-openai' },
          models: ['local/*', 'llama'],
          stripPrefix: 'local/',
          headers: { 'x-title': 'presetd' },
          timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 },
          concurrencyMax: 5,
          queueMax: 0,
          prices: [
            {
              pattern: 'local/*',
              price: { inputPerMillion: 0.5, outputPerMillion: 2, cachedInputPerMillion: 0.1 },
            },
            { pattern: 'llama', price: { cacheWritePerMillion: 1, request: 0.01 } },
          ],
        },
      ],
    });
  });

  it('defaults queue_max to concurrency_max, and treats an empty variable as unset', () => {
    expect(read(withLines('concurrency_max: 7', 'api_key_env: EMPTY_KEY')).settings?.upstreams).toMatchObject(
      [{ concurrencyMax: 7, queueMax: 7, key: { variable: 'EMPTY_KEY', secret: undefined } }],
    );
  });

  it('accepts YAML anchors and aliases', () => {
    const text = `${withLines('timeouts: &slow { idle_ms: 9 }')}\n  - { name: b, kind: openai, timeouts: *slow }`;
    expect(read(text).settings?.upstreams.map(({ timeouts }) => timeouts.idleMs)).toEqual([9, 9]);
  });

  it.each<[problem: string, ...lines: string[]]>([
    ['line 4: upstreams[0].base_url must be an http or https URL such as', 'base_url: localhost:8000'],
    ['line 4: upstreams[0].base_url must be', 'base_url: https://h/v1/chat/completions/'],
    ['line 4: upstreams[0].base_url must be', 'base_url: https://h/v1#x'],
    ['line 4: upstreams[0].dialects[0] must be one of', 'dialects: [chat]'],
    [
      'line 4: upstreams[0].dialects[0] is "messages", but the kind openai only supports',
      'dialects: [messages]',
    ],
    ['line 4: upstreams[0].dialects must be a list', 'dialects: [responses, responses]'],
    ['line 4: upstreams[0].dialects must be a list', 'dialects: []'],
    ['line 4: upstreams[0].endpoints[0] must be one of completions, embeddings', 'endpoints: [/embeddings]'],
    ['line 4: upstreams[0].endpoints must be a list of', 'endpoints: [rerank, rerank]'],
    ['line 4: upstreams[0].models must be a list', 'models: "*"'],
    ['line 6: upstreams[0].models[1] must be a model', 'models:', '  - a', '  - b c'],
    ['line 4: upstreams[0].models must be a list of 1 to 1000 models or patterns', 'models:'],
    ['line 4: text that begins with * must be quoted', 'models: [*]'],
    ['line 5: text that begins with * must be quoted', 'models:', '  - *any'],
    ['line 4: upstreams[0].strip_prefix must be', 'strip_prefix: ""'],
    ['line 5: upstreams[0].headers.x-count must be a string', 'headers:', '  x-count: 5'],
    ['line 4: upstreams[0].headers.Host is set by presetd; remove it', 'headers: { Host: a }'],
    ['line 6: upstreams[0].headers.X-A is a duplicate', 'headers:', '  x-a: b', '  X-A: b'],
    ['line 4: upstreams[0].headers."x a" is not a valid header name', 'headers: { "x a": b }'],
    ['line 4: upstreams[0].timeouts.idle is not a known key; use one of connect_ms', 'timeouts: { idle: 1 }'],
    ['from 1 to 86400000, but is "10s"', 'timeouts: { idle_ms: 10s }'],
    ['line 4: upstreams[0].concurrency_max must be a whole number from 1', 'concurrency_max: 0'],
    ['line 4: upstreams[0].queue_max has no effect without concurrency_max', 'queue_max: 1'],
    ['line 5: duplicate key', 'queue_max: 1', 'queue_max: 2'],
    ['line 4: upstreams[0].__proto__ is not a known key', '__proto__: { a: 1 }'],
    ['line 4: upstreams[0]."we\\nird" is not a known key', '"we\\nird": 1'],
    ['line 4: unknown tag; text that begins with !', 'base_url: !env URL'],
  ])('reports "%s"', (problem, ...lines) => {
    const { settings, problems } = read(withLines(...lines));
    expect(settings).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ['', 'line 1: the file must be a map with the key upstreams, but is empty'],
    ['- a', 'line 1: the file must be a map with the key upstreams'],
    ['attempts_max: 3', 'line 1: upstreams is missing; it must be a list'],
    ['upstreams: []', 'line 1: upstreams must be a list of 1 to 100 upstreams'],
    ['upstreams: [a]', 'line 1: upstreams[0] must be a map with a name and a kind, but is "a"'],
    [
      'upstreams: [{ name: a, kind: openai }]\nattempts_max: 17',
      'line 2: attempts_max must be a whole number',
    ],
    ['{"upstreams": [', 'line 1: something is not closed'],
    ['upstreams: [{ name: a, kind: openai }]\n---\na: b', 'line 2: a second document begins here'],
    [`#${'x'.repeat(1_048_576)}`, 'must be at most 1048576 characters long'],
  ])('rejects the file %j: %s', (text, problem) => {
    expect(read(text).problems).toEqual([expect.stringContaining(problem)]);
  });

  it('reports all problems at once, in line order', () => {
    const { problems } = read(
      'attempts_max: 0\nupstreams:\n  - name: A\n    queue_max: 1\n    kind: b\n  - kind: openai\n    name: A\n',
    );
    expect(problems.map((problem) => /line \d+: \S+ \S+/.exec(problem)?.[0])).toEqual([
      'line 1: attempts_max must',
      'line 3: upstreams[0].name must',
      'line 4: upstreams[0].queue_max has',
      'line 5: upstreams[0].kind must',
      'line 7: upstreams[1].name must',
      'line 7: upstreams[1].name is',
    ]);
  });

  it.each([
    'api_key: hush',
    'api_key_env: hush-1',
    'api_key_env: WRONG_KEY',
    'headers: { authorization: Bearer hush }',
    'headers: { x-key: [hush] }',
    'base_url: https://u:hush@h',
    'base_url: https://h/?key=hush',
    'headers: { x-key: "hush\\n" }',
    'headers: { x-key: hush',
    'headers: x-key: hush',
  ])('does not repeat a secret in the wrong place: %s', (line) => {
    const { problems } = read(withLines(line));
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('hush');
  });

  it('rejects aliases that would expand without bound', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `a${level}: &a${level} [${
          level === 0
            ? 'x'
            : Array(9)
                .fill(`*a${level - 1}`)
                .join(', ')
        }]`,
    );
    expect(read(levels.join('\n')).problems).toEqual([expect.stringContaining('cannot be parsed')]);
  });
});

describe('docs/upstreams.md', () => {
  const page = readFileSync(new URL('../../../docs/upstreams.md', import.meta.url), 'utf8');

  it('shows only valid files', () => {
    const shown = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => read(text).problems);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.flat()).toEqual([]);
  });

  it('has the defaults of every kind in one table', () => {
    const list = (names: readonly string[]) =>
      names.length === dialects.length ? 'all three' : names.map((name) => `\`${name}\``).join(', ');
    const rows = upstreamKinds.map((kind) => {
      const { baseUrl, defaultDialects, dialects: possible, keyVariable } = kinds[kind];
      const more = possible.length > defaultDialects.length ? `; can be ${list(possible)}` : '';
      const url = baseUrl === undefined ? 'required' : `\`${baseUrl}\``;
      const key = keyVariable === undefined ? 'none' : `\`${keyVariable}\``;
      return `| \`${kind}\` | ${url} | ${list(defaultDialects)}${more} | ${key} |`;
    });
    const table = page.slice(page.indexOf('| Kind |')).split('\n\n', 1)[0]?.split('\n') ?? [];
    expect(table.slice(2)).toEqual(rows);
  });

  it('has the endpoints of every kind in another table', () => {
    const list = (names: readonly Endpoint[]) => {
      const missing = endpoints.filter((name) => !names.includes(name));
      if (missing.length === 1) return `all but \`${missing[0]}\``;
      return names.map((name) => `\`${name}\``).join(', ') || 'none';
    };
    const rows = upstreamKinds.map((kind) => `| \`${kind}\` | ${list(kinds[kind].endpoints)} |`);
    const table = page.slice(page.indexOf('| Kind | `endpoints` |')).split('\n\n', 1)[0]?.split('\n') ?? [];
    expect(table.slice(2)).toEqual(rows);
  });

  const quirksOf = (kind: UpstreamKind) => kinds[kind].quirks?.['chat-completions'];
  const adaptedKinds = upstreamKinds.filter((kind) => quirksOf(kind) !== undefined);

  it.each(adaptedKinds)('names what %s removes or renames in chat, beyond what OpenAI lacks', (kind) => {
    const rows = page.slice(page.indexOf('| Kind | Adapted')).split('\n\n', 1)[0]?.split('\n') ?? [];
    const cells = rows.map((row) => row.split('|').slice(1));
    const [, cell = ''] = cells.find(([names]) => names?.split(/[ ,]+/).includes(`\`${kind}\``)) ?? [];
    const named = [...cell.matchAll(/`(.+?)`/g)].map(([, name = '']) => name);
    const { rejected = [], rejectedInMessages = [], renamed = [], renamedRoles = [] } = quirksOf(kind) ?? {};
    const adapted = [...rejected, ...rejectedInMessages, ...[...renamed, ...renamedRoles].flat()];
    const beyondOpenAi = (names: readonly string[]) =>
      [...new Set(names)].filter((name) => !quirksOf('openai')?.rejected.has(name)).sort();
    expect(beyondOpenAi(named)).toEqual(beyondOpenAi(adapted));
  });

  it('names every key of the file', () => {
    const { upstreams, attempts_max: _attempts, ...rest } = upstreamFile.properties;
    expect(rest).toEqual({});
    const { properties } = upstreams.items;
    const keys = [...Object.keys(properties), ...Object.keys(properties.timeouts.properties), 'attempts_max'];
    expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });
});
