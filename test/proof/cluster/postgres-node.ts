import { once } from 'node:events';
import { chown, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import pg from 'pg';
import {
  createDataFolder,
  freePort,
  type PostgresInstallation,
  signalAll,
  spawnPostgres,
  urlForPort,
  waitUntilReady,
} from '../../support/postgres-server.ts';
import { until } from './until.ts';

/** One PostgreSQL server, primary or standby. */
export interface PostgresNode {
  readonly port: number;
  readonly data: string;
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Kills all its processes at once, as a power loss does. */
  kill(): Promise<void>;
  /** Suspends all its processes. */
  freeze(): void;
  /** Resumes them. */
  thaw(): void;
}

/** The name of the standby, which the primary waits for before it acknowledges a commit. */
const standbyName = 'standby';

export const waitForStandby = `ALTER SYSTEM SET synchronous_standby_names = '${standbyName}'`;
export const stopWaitingForStandby = `ALTER SYSTEM SET synchronous_standby_names = ''`;

const settings = ['fsync=off', 'full_page_writes=off', 'wal_keep_size=1GB', 'max_wal_size=1GB'];

export async function startPrimary(installation: PostgresInstallation): Promise<PostgresNode> {
  return startNode(installation, createDataFolder(installation, join(installation.folder, 'first')));
}

/**
 * Starts a standby of a running primary. From then on, the primary acknowledges a commit only when
 * the standby has it. Uses the SQL backup functions because the npm package lacks pg_basebackup.
 */
export async function startStandby(
  installation: PostgresInstallation,
  primary: PostgresNode,
): Promise<PostgresNode> {
  const data = await mkdtemp(join(installation.folder, 'standby-'));
  await backUp(primary, data);
  await writeFile(join(data, 'standby.signal'), '');
  await writeFile(
    join(data, 'postgresql.auto.conf'),
    [
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=presetd application_name=${standbyName}'`,
      // Servers usually share their settings, so a promoted standby waits for a standby of its own.
      `synchronous_standby_names = '${standbyName}'`,
      '',
    ].join('\n'),
  );
  await changeOwner(data, installation);
  const standby = await startNode(installation, data);
  await primary.sql(waitForStandby);
  await primary.sql('SELECT pg_reload_conf()');
  await until(async () => {
    const [row] = await primary.sql('SELECT sync_state FROM pg_stat_replication');
    return row?.sync_state === 'sync';
  }, 'the standby does not replicate');
  return standby;
}

/** Promotes a standby. It acknowledges no commit until `stopWaitingForStandby` is applied. */
export async function promote(standby: PostgresNode): Promise<void> {
  await standby.sql('SELECT pg_promote(true, 60)');
}

async function startNode(installation: PostgresInstallation, data: string): Promise<PostgresNode> {
  const port = await freePort();
  const server = spawnPostgres(installation, data, port, settings);
  await waitUntilReady(urlForPort(port), server);
  return {
    port,
    data,
    sql: (text) => query(port, text),
    async kill() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      signalAll(server, 'SIGKILL');
      await exited;
      await rm(data, { recursive: true, force: true });
    },
    freeze: () => signalAll(server, 'SIGSTOP'),
    thaw: () => signalAll(server, 'SIGCONT'),
  };
}

async function backUp(primary: PostgresNode, target: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlForPort(primary.port) });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    await copyLiveFolder(primary.data, target);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(join(target, 'backup_label'), rows[0].labelfile);
  } finally {
    await client.end();
  }
}

/** Files that the PostgreSQL manual says to exclude from a backup. */
const excluded =
  /^(postmaster\.(pid|opts)|(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_stat_tmp)\/)|pgsql_tmp/;

async function copyLiveFolder(source: string, target: string): Promise<void> {
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name);
    const path = relative(source, from);
    if (excluded.test(path)) continue;
    if (entry.isDirectory()) await mkdir(join(target, path), { recursive: true, mode: 0o700 });
    else await copyFile(from, join(target, path)).catch(ignoreMissing);
  }
}

/** A running server may delete files during the copy. The backup does not need them. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function changeOwner(folder: string, { user }: PostgresInstallation): Promise<void> {
  if (user === undefined) return;
  await chown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), user.uid, user.gid);
}

async function query(port: number, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: urlForPort(port) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
