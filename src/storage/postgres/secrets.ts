import type { SecretStore } from '../../core/storage.ts';
import type { PostgresConnection } from './connection.ts';
import { statement } from './statement.ts';

const findSecret = statement('find-secret', 'SELECT secret FROM secrets WHERE name = $1');

const insertSecret = statement(
  'insert-secret',
  'INSERT INTO secrets (name, secret, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
);

export function postgresSecrets(connection: PostgresConnection): SecretStore {
  const find = async (name: string) => {
    const [row] = await connection.query<{ secret: string }>(findSecret, [name]);
    return row?.secret;
  };
  return {
    async findOrCreate(name, secret, createdAt) {
      const existing = await find(name);
      if (existing !== undefined) return existing;
      // If another server creates it meanwhile, this waits for its commit and inserts nothing.
      await connection.query(insertSecret, [name, secret, createdAt]);
      return (await find(name)) ?? secret;
    },
  };
}
