import { expect, it } from 'vitest';
import { toCsv } from './csv.ts';

it('writes the fields of all rows, quotes what needs it and leaves out what is not known', () => {
  const rows = [
    { a: 'x, "y"', b: null },
    { a: 'two\nlines', b: 1.5, c: false },
  ];
  expect(toCsv(rows)).toBe('a,b,c\r\n"x, ""y""",,\r\n"two\nlines",1.5,false\r\n');
});

it.each(['=1+1', '+1', '-1', '@sum', '\tx'])('the text %j does not become a formula', (text) => {
  expect(toCsv([{ a: text }])).toContain(`'${text}`);
});

it('a negative number stays a number', () => {
  expect(toCsv([{ a: -1 }])).toBe('a\r\n-1\r\n');
});
