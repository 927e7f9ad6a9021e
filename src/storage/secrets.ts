import type { SecretStore } from '../core/storage.ts';
import type { Database } from './database.ts';
import { statement } from './statement.ts';

export function secretStore({ query, write }: Database): SecretStore {
  const find = async (name: string) => (await query(findSecret, [name]))[0]?.secret;
  return {
    async findOrCreate(name, secret, createdAt) {
      const existing = await find(name);
      if (existing !== undefined) return existing;
      // If another server creates it meanwhile, this waits for its commit and inserts nothing.
      await write(insertSecret, [name, secret, createdAt]);
      return (await find(name)) ?? secret;
    },
  };
}

const findSecret = statement<{ readonly secret: string }>(
  'find-secret',
  'SELECT secret FROM secrets WHERE name = $1',
);

const insertSecret = statement(
  'insert-secret',
  'INSERT INTO secrets (name, secret, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
);
