import {
  isEmail,
  isName,
  nameRule,
  normalizeEmail,
  type Role,
  roles,
} from '../core/organization/organization.ts';
import { oneLine, truncate } from '../core/text/printable.ts';
import { type CsvRow, MemberFileError } from './csv-rows.ts';

/**
 * A person in the shape of the API. Values that are empty in the file are absent, so that an update
 * keeps the current ones.
 */
export interface ListedPerson {
  readonly email: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly role?: Role;
}

const columns = ['email', 'first_name', 'last_name', 'role'] as const;
type Column = (typeof columns)[number];

/**
 * Turns CSV rows into people. One parser reads one file: it is created from the header row, which
 * names the columns, and then parses the other rows in order. It remembers every valid address to
 * find duplicates, which is its only state and grows with the file.
 */
export class PeopleParser {
  /** Titles of columns that are ignored, for a warning. */
  readonly unknownColumns: readonly string[];
  readonly #columnIndexes: ReadonlyMap<Column, number>;
  readonly #width: number;
  readonly #lineByEmail = new Map<string, number>();

  /** Throws a `MemberFileError` without an email column. `name` is what messages call the file. */
  constructor(header: CsvRow, name: string) {
    const found = header.values.map(findColumn);
    this.unknownColumns = header.values.filter((title, index) => title !== '' && found[index] === undefined);
    this.#width = header.values.length;
    this.#columnIndexes = indexColumns(found, header, name);
  }

  /**
   * Returns the person, or the problem with the row, which continues a sentence that begins with
   * its line.
   */
  parse(row: CsvRow): ListedPerson | string {
    const problems = this.#problemsOf(row);
    if (problems.length > 0) return problems.join('; ');
    const email = this.#value(row, 'email');
    const earlier = this.#lineByEmail.get(normalizeEmail(email));
    if (earlier !== undefined) return `${quote(email)} is already on line ${earlier}`;
    this.#lineByEmail.set(normalizeEmail(email), row.line);
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
    // The values would be in the wrong columns, so checking each of them would only mislead.
    if (row.values.slice(this.#width).some((value) => value !== ''))
      return [
        `it has ${row.values.length} values for ${this.#width} columns; quote values that contain the separator`,
      ];
    const email = this.#value(row, 'email');
    const role = this.#value(row, 'role');
    return [
      ...(email === '' ? ['the email address is missing'] : []),
      ...(email === '' || isEmail(email) ? [] : [`${quote(email)} is not an email address`]),
      ...(isName(this.#value(row, 'first_name')) ? [] : [`the first name ${nameRule}`]),
      ...(isName(this.#value(row, 'last_name')) ? [] : [`the last name ${nameRule}`]),
      ...(role === '' || parseRole(role) !== undefined
        ? []
        : [`the role ${quote(role)} is not ${roles.join(' or ')}`]),
    ];
  }

  /** Empty if the file has no such column or the row is too short. */
  #value({ values }: CsvRow, column: Column): string {
    return values[this.#columnIndexes.get(column) ?? -1] ?? '';
  }
}

/** Accepts "admin" for "org:admin", in any case. Undefined if it is not a role. */
export function parseRole(text: string): Role | undefined {
  const name = text.trim().toLowerCase();
  return roles.find((role) => role === name || role === `org:${name}`);
}

/**
 * Lenient, because titles are typed by people: "First Name", "first-name" and "firstname" are
 * first_name.
 */
function findColumn(title: string): Column | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, '');
  return columns.find((column) => plain(column) === plain(title));
}

function indexColumns(
  found: readonly (Column | undefined)[],
  header: CsvRow,
  name: string,
): ReadonlyMap<Column, number> {
  const indexes = new Map<Column, number>();
  for (const [index, column] of found.entries()) {
    if (column === undefined) continue;
    if (indexes.has(column)) throw new MemberFileError(`${name} has the column ${column} twice.`);
    indexes.set(column, index);
  }
  if (indexes.has('email')) return indexes;
  if (header.values.some(isEmail))
    throw new MemberFileError(`${name} begins with an email address. ${headerRule}`);
  const titles = header.values.filter((title) => title !== '').map(quote);
  throw new MemberFileError(`${name} has no email column, only ${titles.join(', ')}. ${headerRule}`);
}

export const headerRule =
  'The first line must name the columns: email, and optionally first_name, last_name and role.';

/** A value from the file, for a message: escaped and cut, because it may be anything. */
function quote(value: string): string {
  return `"${truncate(oneLine(value), 80)}"`;
}
