import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { backUpSqlite } from './backup.ts';

it('a SQLite backup keeps copying the state that it started with while others write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, copy] = [join(folder, 'database.db'), join(folder, 'copy.db')];
  const writer = new DatabaseSync(file);
  writer.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t (id INTEGER PRIMARY KEY, x)',
  );
  const insert = writer.prepare('INSERT INTO t (x) VALUES (zeroblob(100000))');
  for (let row = 0; row < 150; row += 1) insert.run();

  const steps: number[] = [];
  await backUpSqlite(file, copy, (done) => {
    steps.push(done);
    insert.run();
    // A copy that restarts after each write would never end.
    if (steps.length > 20) writer.close();
  });
  writer.close();
  expect(steps.length).toBeGreaterThan(2);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  const copied = new DatabaseSync(copy, { readOnly: true });
  expect(copied.prepare('SELECT count(*) AS rows FROM t').get()).toEqual({ rows: 150 });
  copied.close();
});
