import { describe, expect, it } from 'vitest';
import { PeopleParser } from './people-parser.ts';

const row = (line: number, ...values: string[]) => ({ line, lastLine: line, values });
const readerOf = (...titles: string[]) => new PeopleParser(row(1, ...titles), 'people.csv');

describe('the header', () => {
  it.each([
    [['email', 'first_name', 'last_name', 'role']],
    [['E-Mail', 'First Name', 'last-name', 'ROLE']],
    [['EMAIL', 'firstname', 'LastName', 'Role']],
  ])('%j names all columns', (titles) => {
    const reader = readerOf(...titles);
    expect(reader.unknownColumns).toEqual([]);
    expect(reader.parse(row(2, 'a@b.c', 'A', 'B', 'org:admin'))).toEqual({
      email: 'a@b.c',
      first_name: 'A',
      last_name: 'B',
      role: 'org:admin',
    });
  });

  it('may have the columns in any order, and others', () => {
    const reader = readerOf('Role', 'Team', 'email', '');
    expect(reader.unknownColumns).toEqual(['Team']);
    expect(reader.parse(row(2, 'admin', 'x', 'a@b.c', ''))).toEqual({ email: 'a@b.c', role: 'org:admin' });
  });

  it.each([
    [
      ['Mail', 'Name\u001b'],
      'people.csv has no column email, but "Mail", "Name\\u001b". Its first line has to name the columns: email, and as you like first_name, last_name and role.',
    ],
    [
      ['ann@example.com', 'Ann'],
      'people.csv begins with an e-mail address. Its first line has to name the columns: ',
    ],
    [['email', 'E-mail'], 'people.csv has the column email twice.'],
  ])('%j is refused', (titles, message) => {
    expect(() => readerOf(...titles)).toThrow(message);
  });
});

describe('a row', () => {
  it.each([
    [['a@b.c'], { email: 'a@b.c' }],
    [['a@b.c', '', '', ''], { email: 'a@b.c' }],
    [['a@b.c', '', '', 'Member'], { email: 'a@b.c', role: 'org:member' }],
    [['a@b.c', 'Ann', '', 'ORG:ADMIN', '', ''], { email: 'a@b.c', first_name: 'Ann', role: 'org:admin' }],
    [['', 'Ann'], 'the e-mail address is missing'],
    [['ann.example.com'], '"ann.example.com" is not an e-mail address'],
    [['a\u001b@b@c'], '"a\\u001b@b@c" is not an e-mail address'],
    [['a@b.c', '', '', 'boss'], 'the role "boss" is not org:admin or org:member'],
    [
      ['x', 'two\nlines', 'n'.repeat(201)],
      '"x" is not an e-mail address; the first name must have at most 200 characters and no line breaks or other control characters; the last name must have at most 200 characters and no line breaks or other control characters',
    ],
    [
      ['a@b.c', 'Ann', 'Smith', ' Jr.', 'admin'],
      'it has 5 values for 4 columns: a value with the separator in it needs quotation marks',
    ],
  ])('%j', (values, expected) => {
    expect(readerOf('email', 'first_name', 'last_name', 'role').parse(row(2, ...values))).toEqual(expected);
  });

  it('is refused when its address was there, in any case, in a row that was good', () => {
    const reader = readerOf('email', 'role');
    expect(reader.parse(row(2, 'ann@b.c', 'boss'))).toContain('boss');
    expect(reader.parse(row(3, 'Ann@b.c'))).toEqual({ email: 'Ann@b.c' });
    expect(reader.parse(row(9, 'ANN@B.C'))).toBe('"ANN@B.C" is in line 3 already');
  });
});
