import { describe, expect, it } from 'vitest';
import { PeopleParser } from './people-parser.ts';

const row = (line: number, ...values: string[]) => ({ line, lastLine: line, values });
const parserOf = (...titles: string[]) => new PeopleParser(row(1, ...titles), 'people.csv');

describe('the header', () => {
  it.each([
    [['email', 'first_name', 'last_name', 'role']],
    [['E-Mail', 'First Name', 'last-name', 'ROLE']],
    [['EMAIL', 'firstname', 'LastName', 'Role']],
  ])('the header %j names all columns', (titles) => {
    const parser = parserOf(...titles);
    expect(parser.unknownColumns).toEqual([]);
    expect(parser.parse(row(2, 'a@b.c', 'A', 'B', 'org:admin'))).toEqual({
      email: 'a@b.c',
      first_name: 'A',
      last_name: 'B',
      role: 'org:admin',
    });
  });

  it('a header may have other columns, in any order', () => {
    const parser = parserOf('Role', 'Team', 'email', '');
    expect(parser.unknownColumns).toEqual(['Team']);
    expect(parser.parse(row(2, 'admin', 'x', 'a@b.c', ''))).toEqual({ email: 'a@b.c', role: 'org:admin' });
  });

  it.each([
    [
      ['Mail', 'Name\u001b'],
      'people.csv has no email column, only "Mail", "Name\\u001b". The first line must name the columns: email, and optionally first_name, last_name and role.',
    ],
    [
      ['ann@example.com', 'Ann'],
      'people.csv begins with an email address. The first line must name the columns: ',
    ],
    [['email', 'E-mail'], 'people.csv has the column email twice.'],
  ])('the header %j is rejected', (titles, message) => {
    expect(() => parserOf(...titles)).toThrow(message);
  });
});

describe('a row', () => {
  it.each([
    [['a@b.c'], { email: 'a@b.c' }],
    [['a@b.c', '', '', ''], { email: 'a@b.c' }],
    [['a@b.c', '', '', 'Member'], { email: 'a@b.c', role: 'org:member' }],
    [['a@b.c', 'Ann', '', 'ORG:ADMIN', '', ''], { email: 'a@b.c', first_name: 'Ann', role: 'org:admin' }],
    [['', 'Ann'], 'the email address is missing'],
    [['ann.example.com'], '"ann.example.com" is not an email address'],
    [['a\u001b@b@c'], '"a\\u001b@b@c" is not an email address'],
    [['a@b.c', '', '', 'boss'], 'the role "boss" is not org:admin or org:member'],
    [
      ['x', 'two\nlines', 'n'.repeat(201)],
      '"x" is not an email address; the first name must have at most 200 characters and no line breaks or other control characters; the last name must have at most 200 characters and no line breaks or other control characters',
    ],
    [
      ['a@b.c', 'Ann', 'Smith', ' Jr.', 'admin'],
      'it has 5 values for 4 columns; quote values that contain the separator',
    ],
  ])('the row %j is read as %j', (values, expected) => {
    expect(parserOf('email', 'first_name', 'last_name', 'role').parse(row(2, ...values))).toEqual(expected);
  });

  it('a row that repeats an address of a valid row, in any case, is rejected', () => {
    const parser = parserOf('email', 'role');
    expect(parser.parse(row(2, 'ann@b.c', 'boss'))).toContain('boss');
    expect(parser.parse(row(3, 'Ann@b.c'))).toEqual({ email: 'Ann@b.c' });
    expect(parser.parse(row(9, 'ANN@B.C'))).toBe('"ANN@B.C" is already on line 3');
  });
});
