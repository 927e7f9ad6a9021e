import type { Query } from './database.ts';
import { type ColumnType, columnOf, statement, type Value } from './statement.ts';

/** The type of each field of a value that is written. */
type FieldTypes<Written> = { readonly [Field in keyof Written]-?: ColumnType };

/** Fields of the same type. */
export function typed<Field extends string, Type extends ColumnType>(
  type: Type,
  ...names: readonly Field[]
): Readonly<Record<Field, Type>> {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<Field, Type>;
}

/** Writes values, if there are any, and returns the rows of RETURNING. */
type Write<Written, Row = unknown> = (query: Query, values: readonly Written[]) => Promise<readonly Row[]>;

/**
 * Names a statement that inserts values into a table, each field into the column of its name.
 * `rest` says what else happens, such as ON CONFLICT.
 */
export function insertInto<Written extends object, Row = unknown>(
  name: string,
  table: string,
  types: FieldTypes<Written>,
  rest = '',
): Write<Written, Row> {
  const columns = Object.keys(types).map(columnOf);
  const into = `INSERT INTO ${table} (${columns.join(', ')})`;
  return writeOf<Written, Row>(name, types, {
    sqlite: `${into} VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')}) ${rest}`,
    postgres: (rows) => `${into} SELECT ${columns.join(', ')} FROM ${rows} n ${rest}`,
  });
}

/**
 * Names a statement that updates the rows of a table that have the same keys as the values. Callers
 * name the type of a row: derived from `types`, it would lack whatever they forget to store.
 */
export function updateIn<Written extends object>(
  name: string,
  table: string,
  keys: readonly (keyof NoInfer<Written> & string)[],
  types: FieldTypes<NoInfer<Written>>,
): Write<Written> {
  const columns = Object.keys(types).map(columnOf);
  const keyColumns = keys.map(columnOf);
  const update = (valueFor: (column: string) => string, from = '') => {
    const changed = columns.filter((column) => !keyColumns.includes(column));
    const changes = changed.map((column) => `${column} = ${valueFor(column)}`);
    const condition = keyColumns.map((column) => `${table}.${column} = ${valueFor(column)}`);
    return `UPDATE ${table} SET ${changes.join(', ')} ${from} WHERE ${condition.join(' AND ')}`;
  };
  return writeOf(name, types, {
    sqlite: update((column) => `$${columns.indexOf(column) + 1}`),
    postgres: (rows) => update((column) => `n.${column}`, `FROM ${rows} n`),
  });
}

/** Names a statement that deletes the rows of a table that have the same fields as the values. */
export function deleteFrom<Written extends object>(
  name: string,
  table: string,
  types: FieldTypes<Written>,
): Write<Written> {
  const columns = Object.keys(types).map(columnOf);
  const conditions = columns.map((column, index) => `${column} = $${index + 1}`);
  const key = columns.join(', ');
  return writeOf(name, types, {
    sqlite: `DELETE FROM ${table} WHERE ${conditions.join(' AND ')}`,
    postgres: (rows) => `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${rows} n)`,
  });
}

/**
 * PostgreSQL gets all values as one list, because it needs a round trip for each statement. SQLite
 * would copy the texts of a list several times, so it gets one value at a time.
 */
export function writeOf<Written extends object, Row>(
  name: string,
  types: FieldTypes<Written>,
  text: { readonly sqlite: string; readonly postgres: (rows: string) => string },
): Write<Written, Row> {
  const write = statement<Row>(name, ({ engine, rows }) =>
    engine === 'sqlite' ? text.sqlite : text.postgres(rows('$1', types)),
  );
  const fields = Object.keys(types) as (keyof Written & string)[];
  return async (query, values) => {
    if (query.engine === 'postgres') return values.length === 0 ? [] : query(write, [values]);
    return query.each(
      write,
      values.map((value) => fields.map((field) => value[field] as Value)),
    );
  };
}
