import { expect, test } from 'vitest';
import {
  type Highlight,
  highlightJson,
  highlightPython,
  highlightShell,
  highlightTypescript,
} from './code-highlight.ts';

/** The parts with a kind, such as `name:"model"`. */
const marked = (highlight: Highlight, code: string) =>
  highlight(code).flatMap(({ text, kind }) => (kind === undefined ? [] : [`${kind} ${text}`]));

const json = String.raw`{"model": "a \"b\": 1", "n": [-1.5e3, true, null]}`;

test.each([
  [
    'JSON',
    highlightJson,
    json,
    [
      'name "model"',
      String.raw`string "a \"b\": 1"`,
      'name "n"',
      'literal -1.5e3',
      'literal true',
      'literal null',
    ],
  ],
  [
    'a curl command with a body',
    highlightShell,
    `curl http://127.0.0.1:7777 \\\n  -H "Authorization: Bearer $KEY" \\\n  -d '{"n": 1}'`,
    [
      'keyword curl',
      'keyword -H',
      'string "Authorization: Bearer $KEY"',
      'keyword -d',
      'name "n"',
      'literal 1',
    ],
  ],
  [
    'TypeScript',
    highlightTypescript,
    `// npm install openai\nconst a = new A({ url: 'http://x//y', n: 2 });`,
    [
      'comment // npm install openai',
      'keyword const',
      'keyword new',
      'name url',
      "string 'http://x//y'",
      'name n',
      'literal 2',
    ],
  ],
  [
    'Python',
    highlightPython,
    `# pip install openai\nfrom a import b\nb(model="# no comment", n=1) if a == None`,
    [
      'comment # pip install openai',
      'keyword from',
      'keyword import',
      'name model',
      'string "# no comment"',
      'name n',
      'literal 1',
      'keyword if',
      'literal None',
    ],
  ],
])('highlights %s', (_language, highlight, code, expected) => {
  expect(marked(highlight, code)).toEqual(expected);
});

test.each([highlightJson, highlightShell, highlightTypescript, highlightPython])(
  'keeps every character of the code',
  (highlight) => {
    const code = `${json}\n# it's 'one' "two\n// three $four --five=6\n`;
    const join = (text: string) => highlight(text).map((part) => part.text);
    expect(join(code).join('')).toBe(code);
    expect(join('')).toEqual([]);
  },
);

test('a text that would be slow to lay out in parts stays one part', () => {
  const code = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index));
  expect(highlightJson(code)).toEqual([{ text: code, kind: undefined }]);
});
