import { emailKey, isEmail, isName, nameRule, type Role, roles } from '../../core/organization.ts';
import { oneLine, truncate } from '../printable.ts';
import type { CsvRow } from './csv-parser.ts';
import { MemberFileError } from './member-file-error.ts';
import { parseRole } from './parse-role.ts';

/** Somebody to import, as the server takes them. What the file leaves empty is absent, and so left as it is. */
export interface Person {
  readonly email: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly role?: Role;
}

const columns = ['email', 'first_name', 'last_name', 'role'] as const;
type Column = (typeof columns)[number];

/** Turns rows into people; the first row has to name the columns. */
export class PeopleParser {
  readonly unknownColumns: readonly string[];
  readonly #places: ReadonlyMap<Column, number>;
  readonly #width: number;
  /** The line of each address that was good. */
  readonly #lines = new Map<string, number>();

  constructor(header: CsvRow, name: string) {
    const found = header.values.map(columnOf);
    this.unknownColumns = header.values.filter((title, place) => title !== '' && found[place] === undefined);
    this.#width = header.values.length;
    this.#places = placesOf(found, header, name);
  }

  /** The person, or what is wrong with the row, as the rest of a sentence that begins with its line. */
  parse(row: CsvRow): Person | string {
    const problems = this.#problemsOf(row);
    if (problems.length > 0) return problems.join('; ');
    const email = this.#value(row, 'email');
    const earlier = this.#lines.get(emailKey(email));
    if (earlier !== undefined) return `${shown(email)} is in line ${earlier} already`;
    this.#lines.set(emailKey(email), row.line);
    const firstName = this.#value(row, 'first_name');
    const lastName = this.#value(row, 'last_name');
    const role = parseRole(this.#value(row, 'role'));
    return {
      email,
      ...(firstName !== '' && { first_name: firstName }),
      ...(lastName !== '' && { last_name: lastName }),
      ...(role !== undefined && { role }),
    };
  }

  #problemsOf(row: CsvRow): readonly string[] {
    if (row.values.slice(this.#width).some((value) => value !== ''))
      return [
        `it has ${row.values.length} values for ${this.#width} columns: a value with the separator in it needs quotation marks`,
      ];
    const email = this.#value(row, 'email');
    const role = this.#value(row, 'role');
    return [
      ...(email === '' ? ['the e-mail address is missing'] : []),
      ...(email === '' || isEmail(email) ? [] : [`${shown(email)} is not an e-mail address`]),
      ...(isName(this.#value(row, 'first_name')) ? [] : [`the first name ${nameRule}`]),
      ...(isName(this.#value(row, 'last_name')) ? [] : [`the last name ${nameRule}`]),
      ...(role === '' || parseRole(role) !== undefined
        ? []
        : [`the role ${shown(role)} is not ${roles.join(' or ')}`]),
    ];
  }

  #value({ values }: CsvRow, column: Column): string {
    return values[this.#places.get(column) ?? -1] ?? '';
  }
}

/** "First Name", "first-name" and "firstname" are all first_name. */
function columnOf(title: string): Column | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, '');
  return columns.find((column) => plain(column) === plain(title));
}

function placesOf(
  found: readonly (Column | undefined)[],
  header: CsvRow,
  name: string,
): ReadonlyMap<Column, number> {
  const places = new Map<Column, number>();
  for (const [place, column] of found.entries()) {
    if (column === undefined) continue;
    if (places.has(column)) throw new MemberFileError(`${name} has the column ${column} twice.`);
    places.set(column, place);
  }
  if (places.has('email')) return places;
  if (header.values.some(isEmail))
    throw new MemberFileError(`${name} begins with an e-mail address. ${headerRule}`);
  const titles = header.values.filter((title) => title !== '').map(shown);
  throw new MemberFileError(`${name} has no column email, but ${titles.join(', ')}. ${headerRule}`);
}

export const headerRule =
  'Its first line has to name the columns: email, and as you like first_name, last_name and role.';

function shown(value: string): string {
  return `"${truncate(oneLine(value), 80)}"`;
}
