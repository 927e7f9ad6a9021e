import type { PoolClient, QueryResultRow } from 'pg';
import type { Statement } from './connection.ts';

/** Runs statements: in one transaction when made by `queryOf`, else on any connection. */
export type Query = <Row extends QueryResultRow>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<Row[]>;

/**
 * Binds queries to the connection of a transaction. Errors are translated by `PostgresConnection`.
 */
export function queryOf(client: PoolClient): Query {
  return async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]) =>
    (await client.query<Row>({ ...statement, values: [...values] })).rows;
}

export function statement(name: string, text: string): Statement {
  return { name, text };
}

/** A concurrent transaction was faster; this one may be retried. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}
