import { describe, expect, test } from 'vitest';
import { snippetsFor } from './snippets.ts';

const origin = 'https://presets.example.com';
const reference = '@preset/support-bot:production';

describe.each(snippetsFor({ origin, reference }).map((snippet) => [snippet.title, snippet] as const))(
  'the program for %s',
  (_title, { id, code }) => {
    test('calls the preset at this server, with the key of the environment', () => {
      expect(code).toContain(`${origin}/api${id.startsWith('anthropic') ? '' : '/v1'}`);
      expect(code.split(reference)).toHaveLength(2);
      expect(code).toMatch(/\$PRESETD_API_KEY|env\.PRESETD_API_KEY|environ\["PRESETD_API_KEY"\]/);
    });

    test('says what has to be installed', () => {
      const [first] = code.split('\n');
      if (id === 'curl') expect(first).toMatch(/^curl /);
      else expect(first).toMatch(id.endsWith('python') ? /^# pip install \w+$/ : /^\/\/ npm install \S+$/);
    });

    test('is indented with spaces, and ends with a line end', () => {
      expect(code).not.toMatch(/\t|[ ]\n/);
      expect(code).toMatch(/[^\n]\n$/);
    });
  },
);

test("Anthropic's SDK, which adds the version itself, gets an address without it, and the limit that it wants", () => {
  const programs = snippetsFor({ origin, reference }).filter(({ id }) => id.startsWith('anthropic'));
  for (const { code } of programs) {
    expect(code).toMatch(/\/api["'],/);
    expect(code).toMatch(/max_tokens(: |=)1024,/);
  }
});

test("Anthropic's SDK is given the limit of the preset, over which its own would win", () => {
  const programs = snippetsFor({ origin, reference, maxTokens: 5000 });
  for (const { code } of programs.filter(({ id }) => id.startsWith('anthropic')))
    expect(code).toMatch(/max_tokens(: |=)5000,/);
});
