import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sources = join(import.meta.dirname, '../dashboard/src');
const styleSheets = globSync('**/*.css', { cwd: sources })
  .filter((file) => !/(tokens|mono-font)\.css$/.test(file))
  .map((file) => [file, readFileSync(join(sources, file), 'utf8')] as const);

test.each(styleSheets)('%s uses the scales of tokens.css', (_, text) => {
  const declarations = [...text.matchAll(/^\s*([\w-]+): ([^;{}]+);/gm)].map(
    ([, property = '', value = '']) => ({ property, value }),
  );
  expect(declarations.length).toBeGreaterThan(0);
  expect(declarations.filter(hasOwnValue)).toEqual([]);
});

test('a size, space, radius or color that is not a token is noticed', () => {
  for (const [property, value] of [
    ['font-size', '13px'],
    ['font', '600 0.7rem / 1.5 var(--mono)'],
    ['padding', '0 6px'],
    ['margin-top', '-4px'],
    ['gap', '1.5rem'],
    ['border-radius', '999px'],
    ['color', '#fff'],
    ['background', 'rgb(0 0 0 / 4%)'],
  ] as const)
    expect(hasOwnValue({ property, value }), `${property}: ${value}`).toBe(true);
});

interface Declaration {
  readonly property: string;
  readonly value: string;
}

/**
 * Whether a declaration has a value beside the scales. Three are allowed: hairlines of one pixel,
 * text relative to the text around it, and room for something that is positioned, such as an icon.
 */
function hasOwnValue({ property, value }: Declaration): boolean {
  if (/#[\da-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/.test(value)) return true;
  const lengths = [...value.matchAll(/(?<![\w.])([\d.]+)(px|rem|em)\b/g)].map(
    ([, number = '', unit = '']) => ({ number: Number(number), unit }),
  );
  if (/^font(-size)?$/.test(property)) return lengths.some(({ unit }) => unit === 'rem' || unit === 'px');
  if (property.startsWith('border-radius')) return lengths.some(({ number }) => number > 1);
  if (/^(padding|margin|gap|row-gap|column-gap)/.test(property))
    return lengths.some(({ number, unit }) => unit === 'rem' || (unit === 'px' && number > 1 && number < 20));
  return false;
}
