import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const files = globSync('{src,dashboard/src,test,bench}/**/*.{ts,tsx,js,css}', {
  cwd: fileURLToPath(root),
  exclude: ['**/node_modules/**'],
});

it('comment lines have at most 100 characters, except links and directives', () => {
  expect(files.length).toBeGreaterThan(1_500);
  const long = files.flatMap((file) =>
    longComments(readFileSync(new URL(file, root), 'utf8')).map((line) => `${file}:${line}`),
  );
  expect(long).toEqual([]);
});

it('a comment line that is too long is noticed', () => {
  const words = 'long '.repeat(20);
  expect(longComments(`const one = 1;\n  // ${words}\n`)).toEqual([2]);
  expect(longComments(`/**\n * ${words}\n */\n/** ${words} */`)).toEqual([2, 4]);
  expect(longComments(`{/* ${words} */}`)).toEqual([1]);
  expect(longComments(`const list = '${words}';\n// https://example.com/${'a'.repeat(90)}`)).toEqual([]);
  expect(longComments(`// biome-ignore lint/a11y/rule: ${words}`)).toEqual([]);
});

/** The numbers of the lines that only consist of a comment and are too long. */
function longComments(text: string): readonly number[] {
  return text
    .split('\n')
    .map((line, at) => ({ line, number: at + 1 }))
    .filter(({ line }) => line.length > 100 && comment.test(line) && !unbreakable.test(line))
    .map(({ number }) => number);
}

const comment = /^\s*(?:\/\/|\{?\/\*|\*)/;
const unbreakable = /biome-ignore|@ts-expect-error|\S{60}/;
