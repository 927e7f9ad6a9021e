import { snakeCase } from '../core/text/letter-case.ts';

/** The databases that presetd runs on. */
export type Engine = 'sqlite' | 'postgres';

/** A parameter of a statement. Lists and other objects are passed as JSON. */
export type Value = string | number | boolean | null | object;

/** A statement that is parsed and planned once per connection. */
export interface Statement<Row> {
  readonly name: string;
  /** For each engine, with parameters written as it expects them. */
  readonly text: Readonly<Record<Engine, string>>;
  /** Makes a row of what the driver returned. Without it, they are the same. */
  readonly decode?: ((values: object) => Row) | undefined;
}

/** All statements by name, so that tests can check the plan of each. */
export const statements = new Map<string, Statement<unknown>>();

/**
 * Names a statement and says what its rows are. Parameters are `$1`, `$2`, …; lists are one
 * parameter, which `isIn` or `rows` of `sql` reads. A text that depends on the engine is a function
 * of its `Sql`, or one text for each engine if their plans differ.
 */
export function statement<Row = unknown>(
  name: string,
  text: string | ((sql: Sql) => string) | Readonly<Record<Engine, string>>,
  decode?: (values: object) => Row,
): Statement<Row> {
  if (statements.has(name)) throw new Error(`there are two statements with the name ${name}`);
  const textFor = (engine: Engine) => {
    if (typeof text === 'string') return text;
    return typeof text === 'function' ? text(sqlOf[engine]) : text[engine];
  };
  const named: Statement<Row> = {
    name,
    text: { sqlite: forSqlite(textFor('sqlite')), postgres: textFor('postgres') },
    decode,
  };
  statements.set(name, named);
  return named;
}

/**
 * Builds a statement for one engine at run time, and returns it with its parameters. It is planned
 * each time.
 */
export function buildStatement<Row>(
  engine: Engine,
  write: (sql: Sql, parameters: Parameters) => string,
  decode?: (values: object) => Row,
): readonly [Statement<Row>, readonly Value[]] {
  const parameters = new Parameters();
  const text = write(sqlOf[engine], parameters);
  return [{ name: '', text: { sqlite: forSqlite(text), postgres: text }, decode }, parameters.values];
}

/** Collects the parameters of a statement, and returns the name of each. */
export class Parameters {
  readonly values: Value[] = [];

  add(value: Value): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** SQLite writes parameters as `?1`. */
function forSqlite(text: string): string {
  return text.replaceAll(/\$(?=\d)/g, '?');
}

/** The rows of a statement, from what the driver returned. */
export function decodeRows<Row>({ decode }: Statement<Row>, rows: readonly object[]): Row[] {
  return decode === undefined ? (rows as Row[]) : rows.map(decode);
}

/** The column that stores a field: `created_at` for `createdAt`, and `config` for `configJson`. */
export function columnOf(field: string): string {
  return snakeCase(field.replace(/Json$/, ''));
}

/**
 * Types of PostgreSQL that values of a list have. SQLite needs none. A value of the type `json
 * text` is a text that contains JSON.
 */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'integer'
  | 'bigint'
  | 'real'
  | 'timestamptz'
  | 'boolean'
  | 'json'
  | 'json text';

/** Syntax that differs between the engines. */
export interface Sql {
  /** Whether a column is in a list of values. */
  isIn(column: string, list: string, type: ColumnType): string;
  /** A table of the objects in a list: a column for each field, and `ordinal`, from 1. */
  rows(list: string, fields: Readonly<Record<string, ColumnType>>): string;
  /** Locks the selected rows until the transaction ends. SQLite has only one writer at a time. */
  readonly forUpdate: string;
  /** Locks the selected rows of a table, and leaves out those that others have locked. */
  skipLocked(table: string): string;
  /** Selects a JSON array of the values, or an object of names and values, of a group. */
  arrayOf(value: string, order: string): string;
  objectOf(name: string, value: string): string;
  /** A JSON array of columns. */
  array(...values: readonly string[]): string;
  /** A JSON object of fields and their columns. */
  object(columns: Readonly<Record<string, string>>): string;
  /**
   * Joins the only row of a table (`memberships m`) that meets a condition. As a plain join,
   * PostgreSQL would read all rows of an organization wherever it expects few of them.
   */
  joinOne(table: string, condition: string): string;
  /** The same, with nulls if there is no such row. */
  leftJoinOne(table: string, condition: string): string;
  /** Any other locking clause. */
  lock(clause: string): string;
  /** For a statement of which only a part depends on the engine. */
  readonly engine: Engine;
  /** A table of the values in a list, with `ordinal` counting from 1. */
  values(list: string, type: ColumnType): string;
  /** Whether a column is true, written exactly as in partial indexes. */
  isTrue(column: string): string;
  /** Whether a text contains another. */
  contains(text: string, part: string): string;
  /** Whether a column is among the few values that a query selects. */
  isAmong(column: string, query: string): string;
}

/**
 * Limits nothing. But PostgreSQL, which expects 100 values in every JSON list, does not know that:
 * it expects a tenth of them, and looks up each by index instead of comparing a whole table.
 */
const expectFew = 'LIMIT (SELECT NULL::bigint)';

const sqlOf: Readonly<Record<Engine, Sql>> = {
  sqlite: {
    isIn: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
    rows(list, fields) {
      const selected = Object.keys(fields).map((field) => `value ->> '${field}' AS ${columnOf(field)}`);
      return `(SELECT ${[...selected, 'key + 1 AS ordinal'].join(', ')} FROM json_each(${list}))`;
    },
    forUpdate: '',
    skipLocked: () => '',
    arrayOf: (value, order) => `json_group_array(${value} ORDER BY ${order})`,
    objectOf: (name, value) => `json_group_object(${name}, ${value})`,
    array: (...values) => `json_array(${values.join(', ')})`,
    object: (columns) => `json_object(${namedValues(columns)})`,
    joinOne: (table, condition) => `CROSS JOIN ${table} ON ${condition}`,
    leftJoinOne: (table, condition) => `LEFT JOIN ${table} ON ${condition}`,
    lock: () => '',
    engine: 'sqlite',
    values: (list) => `(SELECT value, key + 1 AS ordinal FROM json_each(${list}))`,
    isTrue: (column) => `${column} = 1`,
    contains: (text, part) => `instr(${text}, ${part}) > 0`,
    isAmong: (column, query) => `${column} IN (${query})`,
  },
  postgres: {
    // An array, so that an index is searched for its values.
    isIn: (column, list, type) =>
      `${column} = ANY (ARRAY(SELECT json_array_elements_text(${list}::json)::${type}))`,
    rows(list, fields) {
      const isText = (field: string) => fields[field] === 'json text';
      const names = Object.keys(fields);
      const columns = names.map(columnOf);
      const read = names.map((field) => `"${field}" ${isText(field) ? 'text' : fields[field]}`);
      const selected = names.map((field) => (isText(field) ? `${columnOf(field)}::json` : columnOf(field)));
      return `(SELECT ${selected.join(', ')}, ordinal
        FROM ROWS FROM (json_to_recordset(${list}::json) AS (${read.join(', ')}))
          WITH ORDINALITY AS listed (${columns.join(', ')}, ordinal)
        ORDER BY ordinal ${expectFew})`;
    },
    forUpdate: 'FOR NO KEY UPDATE',
    skipLocked: (table) => `FOR NO KEY UPDATE OF ${table} SKIP LOCKED`,
    arrayOf: (value, order) => `coalesce(json_agg(${value} ORDER BY ${order}), '[]')`,
    objectOf: (name, value) => `json_object_agg(${name}, ${value})`,
    array: (...values) => `json_build_array(${values.join(', ')})`,
    object: (columns) => `json_build_object(${namedValues(columns)})`,
    joinOne: (table, condition) => `CROSS JOIN LATERAL ${oneRow(table, condition)}`,
    leftJoinOne: (table, condition) => `LEFT JOIN LATERAL ${oneRow(table, condition)} ON true`,
    lock: (clause) => clause,
    engine: 'postgres',
    values: (list, type) => `(SELECT value::${type} AS value, ordinal
        FROM json_array_elements_text(${list}::json) WITH ORDINALITY AS listed (value, ordinal)
        ORDER BY ordinal ${expectFew})`,
    isTrue: (column) => column,
    contains: (text, part) => `strpos(${text}, ${part}) > 0`,
    // An array, so that an index is searched for them.
    isAmong: (column, query) => `${column} = ANY (ARRAY(${query}))`,
  },
};

function namedValues(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([field, column]) => `'${field}', ${column}`)
    .join(', ');
}

function oneRow(table: string, condition: string): string {
  const alias = table.slice(table.lastIndexOf(' ') + 1);
  return `(SELECT * FROM ${table} WHERE ${condition} LIMIT 1) ${alias}`;
}
