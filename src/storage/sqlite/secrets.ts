import type { DatabaseSync } from 'node:sqlite';
import type { SecretStore } from '../../core/storage.ts';
import { read } from './errors.ts';
import type { WriteQueue } from './write-queue.ts';

export function sqliteSecrets(database: DatabaseSync, queue: WriteQueue): SecretStore {
  const find = database.prepare('SELECT secret FROM secrets WHERE name = ?');
  const insert = database.prepare(
    'INSERT INTO secrets (name, secret, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
  );
  const secretOf = (name: string) => read(() => find.get(name))?.secret as string | undefined;

  return {
    async findOrCreate(name, secret, createdAt) {
      const existing = secretOf(name);
      if (existing !== undefined) return existing;
      return queue.write(() => {
        insert.run(name, secret, createdAt);
        return secretOf(name) ?? secret;
      });
    },
  };
}
