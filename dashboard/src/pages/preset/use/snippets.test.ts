import { describe, expect, test } from 'vitest';
import { snippetsFor } from './snippets.ts';

const origin = 'https://presets.example.com';
const reference = '@preset/support-bot:production';

describe.each(snippetsFor({ origin, reference }).map((snippet) => [snippet.title, snippet] as const))(
  'the %s example',
  (_title, { id, code }) => {
    test('calls the preset on this server with the key from the environment', () => {
      expect(code).toContain(`${origin}/api${id.startsWith('anthropic') ? '' : '/v1'}`);
      expect(code.split(reference)).toHaveLength(2);
      expect(code).toMatch(/\$PRESETD_API_KEY|env\.PRESETD_API_KEY|environ\["PRESETD_API_KEY"\]/);
    });

    test('begins with the package to install', () => {
      const [first] = code.split('\n');
      if (id === 'curl') expect(first).toMatch(/^curl /);
      else expect(first).toMatch(id.endsWith('python') ? /^# pip install \w+$/ : /^\/\/ npm install \S+$/);
    });

    test('is indented with spaces and ends with a newline', () => {
      expect(code).not.toMatch(/\t|[ ]\n/);
      expect(code).toMatch(/[^\n]\n$/);
    });
  },
);

describe.each([
  ['texts', { customer: '<customer>', tone: "it's" }],
  ['other values', { customer: '<customer>', stars: 4, orders: [{ id: 'A7', isLate: true }] }],
])('examples with variables that have %s', (title, variables) => {
  const snippets = snippetsFor({ origin, reference, variables });

  test('every example passes the variables and names the preset once', () => {
    for (const { id, code } of snippets) {
      expect(code).toContain(id === 'curl' || id.endsWith('python') ? '"<customer>"' : "'<customer>'");
      expect(code.split(reference)).toHaveLength(2);
      expect(code).not.toMatch(/\t|[ ]\n/);
    }
  });

  test("OpenRouter's SDKs are listed only if they can send the variables", () => {
    const listed = snippets.filter(({ id }) => id.startsWith('openrouter'));
    expect(listed).toHaveLength(title === 'texts' ? 2 : 0);
  });
});

test('Anthropic examples omit /v1 from the base URL and set max_tokens', () => {
  const programs = snippetsFor({ origin, reference }).filter(({ id }) => id.startsWith('anthropic'));
  for (const { code } of programs) {
    expect(code).toMatch(/\/api["'],/);
    expect(code).toMatch(/max_tokens(: |=)1024,/);
  }
});

test("Anthropic examples repeat the preset's max_tokens, which they would otherwise override", () => {
  const programs = snippetsFor({ origin, reference, maxTokens: 5000 });
  for (const { code } of programs.filter(({ id }) => id.startsWith('anthropic')))
    expect(code).toMatch(/max_tokens(: |=)5000,/);
});
