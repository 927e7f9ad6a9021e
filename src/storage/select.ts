import {
  buildStatement,
  type ColumnType,
  columnOf,
  type Engine,
  type Parameters,
  type Sql,
  type Statement,
  statement,
} from './statement.ts';

/**
 * The SQL of each field of a row, which is a value of core. Booleans, JSON and the like have to be
 * decoded; the fields of a nested value have columns of their own.
 */
export type Columns<Row> = { readonly [Field in keyof Row]-?: Column<Row[Field]> };

type Column<Value> = [Value] extends [string | number | null]
  ? SqlText
  : DecodedColumn<Value> | ([Value] extends [object] ? Columns<Value> : never);

/** An expression, which may depend on the engine. */
type SqlText = string | ((sql: Sql) => string);

/** A column that drivers return as something else than core expects. */
export interface DecodedColumn<Value> {
  readonly sql: SqlText;
  decode(value: unknown): Value;
}

/** Columns of a table that are named after these fields. */
export function fields<Field extends string>(
  table: string,
  ...names: readonly Field[]
): Readonly<Record<Field, string>> {
  const columns = names.map((name) => [name, `${table}.${columnOf(name)}`] as const);
  return Object.fromEntries(columns) as Record<Field, string>;
}

/** Columns of a table that are written by types, which have to fit the values. */
export function columnsOf<Row>(table: string, types: TypesOf<Row>): Columns<Row> {
  const columns = Object.entries<ColumnType>(types).map(([field, type]) => {
    const sql = `${table}.${columnOf(field)}`;
    return [field, type === 'boolean' ? flag(sql) : type === 'json' ? json(sql) : sql] as const;
  });
  return Object.fromEntries<SqlText | DecodedColumn<unknown>>(columns) as Columns<Row>;
}

type TypesOf<Row> = { readonly [Field in keyof Row]-?: TypeOf<Row[Field]> };

type TypeOf<Value> = [Value] extends [boolean | null]
  ? 'boolean'
  : [Value] extends [number | null]
    ? 'integer' | 'bigint' | 'real'
    : [Value] extends [string | null]
      ? 'uuid' | 'text' | 'timestamptz' | 'json text'
      : 'json';

/** A boolean, which SQLite returns as a number. */
export function flag(sql: string): DecodedColumn<boolean> {
  return { sql, decode: Boolean };
}

/** JSON, which drivers return as text, so that configs keep their exact bytes. Null stays null. */
export function json<Value, Stored = Value>(
  sql: SqlText,
  convert: (stored: Stored) => Value = (stored) => stored as Value & Stored,
): DecodedColumn<Value> {
  return { sql, decode: (text) => (typeof text === 'string' ? convert(JSON.parse(text)) : (null as Value)) };
}

/**
 * Names a statement that selects values as core knows them, so that nothing is left to map. `from`
 * is what follows the columns, and `before` a WITH clause.
 */
export function select<Row>(
  name: string,
  columns: Columns<Row>,
  from: SqlText,
  before: SqlText = '',
): Statement<Row> {
  const text = (sql: Sql) => `${textOf(before, sql)} SELECT ${listOf(columns, sql)} ${textOf(from, sql)}`;
  return statement(name, text, decoderOf(columns));
}

/** The same without a name, for SQL that is built at run time. Returns it with its parameters. */
export function buildSelect<Row>(
  engine: Engine,
  columns: Columns<Row>,
  from: (sql: Sql, parameters: Parameters) => string,
) {
  return buildStatement(
    engine,
    (sql, parameters) => `SELECT ${listOf(columns, sql)} ${from(sql, parameters)}`,
    decoderOf(columns),
  );
}

/** Names a statement that writes rows and returns them like `select`. */
export function returning<Row>(name: string, columns: Columns<Row>, write: SqlText): Statement<Row> {
  return statement(
    name,
    (sql) => `${textOf(write, sql)} RETURNING ${listOf(columns, sql)}`,
    decoderOf(columns),
  );
}

function textOf(text: SqlText, sql: Sql): string {
  return typeof text === 'string' ? text : text(sql);
}

interface AnyColumns {
  readonly [field: string]: SqlText | DecodedColumn<unknown> | AnyColumns;
}

/** The columns as SQL. Those of a nested value are named with its path, such as "member.id". */
function listOf(columns: AnyColumns, sql: Sql, path = ''): string {
  const listed = Object.entries(columns).map(([field, column]) => {
    if (typeof column === 'object' && !isDecoded(column)) return listOf(column, sql, `${path}${field}.`);
    return `${textOf(typeof column === 'object' ? column.sql : column, sql)} AS "${path}${field}"`;
  });
  return listed.join(', ');
}

/** Undefined if the driver's rows are the values already. */
function decoderOf<Row>(columns: Columns<Row>): ((values: object) => Row) | undefined {
  const isPlain = Object.values(columns).every((column) => typeof column !== 'object');
  return isPlain ? undefined : (readerOf(columns) as (values: object) => Row);
}

type Reader = (values: Readonly<Record<string, unknown>>) => unknown;

function readerOf(columns: AnyColumns, path = ''): Reader {
  const readers = Object.entries(columns).map(([field, column]): readonly [string, Reader] => {
    const name = path + field;
    if (typeof column !== 'object') return [field, (values) => values[name]];
    if (!isDecoded(column)) return [field, readerOf(column, `${name}.`)];
    return [field, (values) => column.decode(values[name])];
  });
  return (values) => {
    const row: Record<string, unknown> = {};
    for (const [field, read] of readers) row[field] = read(values);
    return row;
  };
}

function isDecoded(column: DecodedColumn<unknown> | AnyColumns): column is DecodedColumn<unknown> {
  return typeof column.decode === 'function';
}
