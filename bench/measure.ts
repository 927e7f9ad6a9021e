import type { PostgresServer } from '../test/support/postgres-server.ts';
import { type Comparison, compare, type LoadSettings } from './compare.ts';
import { createDatabase, type Engine } from './database.ts';
import type { LoadRequest } from './load.ts';
import { type ServerProcess, startBare, startBaseline, startPresetd } from './server-process.ts';

/** Requests that both servers get. */
export interface Workload {
  readonly name: string;
  readonly requests: readonly LoadRequest[];
  /** The lowest acceptable ratio of CPU time, bare server to presetd. */
  readonly target: number;
}

/** Where a benchmark creates its databases. */
export interface DatabaseTarget {
  readonly engine: Engine;
  /** Undefined when no selected benchmark needs it. */
  readonly postgres: PostgresServer | undefined;
}

/** Compares presetd with a bare server that does the same raw work, each on its own database. */
export async function measure(
  name: string,
  { requests }: Workload,
  database: DatabaseTarget,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<Comparison> {
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing two databases and two servers\n`);
  const presetd = await startOn(started, database, 'presetd', startPresetd);
  const bare = await startOn(started, database, 'bare', startBare);
  const { baselineFolder } = settings;
  const baseline =
    baselineFolder === undefined
      ? undefined
      : await startOn(started, database, 'baseline', (url) => startBaseline(baselineFolder, url));
  const others = {
    bare: { server: bare, requests },
    ...(baseline && { baseline: { server: baseline, requests } }),
  };
  return await compare(name, { server: presetd, requests }, others, settings, interruption);
}

/** Starts a server on a new database; `started` stops it and removes the database. */
export async function startOn(
  started: AsyncDisposableStack,
  { engine, postgres }: DatabaseTarget,
  name: string,
  start: (databaseUrl: string) => Promise<ServerProcess>,
): Promise<ServerProcess> {
  const database = await createDatabase(engine, postgres, name);
  started.defer(() => database.remove());
  const server = await start(database.url);
  started.defer(() => server.stop());
  return server;
}
