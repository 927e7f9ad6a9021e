import type { PostgresServer } from '../test/support/postgres-server.ts';
import { type Comparison, compare, type LoadSettings } from './compare.ts';
import { createDatabase, type Engine } from './database.ts';
import type { LoadRequest } from './load.ts';
import { type ServerProcess, startBare, startBaseline, startPresetd } from './server-process.ts';

/** What is asked of both servers. */
export interface Question {
  readonly name: string;
  readonly requests: readonly LoadRequest[];
  /** The least ratio of processor time that we accept, bare to presetd. */
  readonly aim: number;
}

export interface Place {
  readonly engine: Engine;
  /** Undefined when nothing that was selected needs it. */
  readonly postgres: PostgresServer | undefined;
}

/** Runs presetd beside a bare server that does the same raw work, each on a database of its own. */
export async function measure(
  name: string,
  { requests }: Question,
  place: Place,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<Comparison> {
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing two databases and two servers\n`);
  const presetd = await startOn(started, place, 'presetd', startPresetd);
  const bare = await startOn(started, place, 'bare', startBare);
  const { baselineFolder } = settings;
  const baseline =
    baselineFolder === undefined
      ? undefined
      : await startOn(started, place, 'baseline', (url) => startBaseline(baselineFolder, url));
  const others = {
    bare: { server: bare, requests },
    ...(baseline && { baseline: { server: baseline, requests } }),
  };
  return await compare(name, { server: presetd, requests }, others, settings, interruption);
}

export async function startOn(
  started: AsyncDisposableStack,
  { engine, postgres }: Place,
  name: string,
  start: (databaseUrl: string) => Promise<ServerProcess>,
): Promise<ServerProcess> {
  const database = await createDatabase(engine, postgres, name);
  started.defer(() => database.remove());
  const server = await start(database.url);
  started.defer(() => server.stop());
  return server;
}
