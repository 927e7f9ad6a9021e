import type { PoolClient, QueryResultRow } from 'pg';
import type { Statement } from './connection.ts';

/** Asks within one transaction. */
export type Query = <Row extends QueryResultRow>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<Row[]>;

export function queryOf(client: PoolClient): Query {
  return async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]) =>
    (await client.query<Row>({ ...statement, values: [...values] })).rows;
}

export function statement(name: string, text: string): Statement {
  return { name, text };
}

/** Somebody else was faster; the transaction may be tried again. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}
