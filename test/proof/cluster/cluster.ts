import { existsSync, readFileSync, rmSync } from 'node:fs';
import {
  type CommandResult,
  createWorkingDirectory,
  type ServerProcess,
  startServerProcess,
} from '../../support/command.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { freePort, installPostgres, urlForPort } from '../../support/postgres-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../../support/server.ts';
import { shareWithFile } from '../../support/test-scope.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import {
  type PostgresNode,
  promote,
  startPrimary,
  startStandby,
  stopWaitingForStandby,
} from './postgres-node.ts';

/** One presetd instance with a fixed port and its own proxied link to the database. */
export interface Instance {
  readonly url: string;
  readonly link: FaultProxy;
  isUp(): boolean;
  /** How often it was killed or stopped. */
  readonly stopCount: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Stops it with SIGTERM, as an operator does. */
  stop(): Promise<CommandResult>;
  /** Everything it logged, including before restarts. */
  log(): string;
  /** Its sockets to the database, even if the other side closed them. 0 without /proc. */
  openSockets(): number;
}

/** Several presetd instances behind a balancer, on PostgreSQL with a synchronous standby. */
export interface Cluster {
  readonly balancer: Balancer;
  readonly instances: readonly Instance[];
  readonly upstream: ScriptedUpstream;
  readonly primary: PostgresNode;
  readonly standby: PostgresNode;
  /** Promotes the standby and redirects all instances to it. Call it after killing the primary. */
  failOver(): Promise<void>;
  /** Adds a synchronous standby after a failover: from then on, commits wait for it again. */
  addStandby(): Promise<void>;
  stop(): Promise<void>;
}

export const poolSize = 10;

export async function startCluster(size: number, databaseTimeoutMs: number): Promise<Cluster> {
  const installation = installPostgres();
  if (installation === undefined) throw new Error('PostgreSQL is not available for this platform.');
  let primary = await startPrimary(installation);
  let standby = await startStandby(installation, primary);
  const upstream = await startScriptedUpstream();
  const directory = createWorkingDirectory();
  const environment = {
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    PRESETD_DATABASE_POOL_SIZE: String(poolSize),
    PRESETD_DATABASE_TIMEOUT_MS: String(databaseTimeoutMs),
    PRESETD_UPSTREAM_URL: upstream.url,
    OPENROUTER_API_KEY: 'sk-upstream',
  };
  const instances: Instance[] = [];
  for (let number = 1; number <= size; number += 1)
    instances.push(await createInstance(directory.path, primary.port, environment));
  await Promise.all(instances.map((instance) => instance.start()));
  const balancer = await startBalancer(instances.map(({ url }) => Number(new URL(url).port)));

  return {
    balancer,
    instances,
    upstream,
    get primary() {
      return primary;
    },
    get standby() {
      return standby;
    },
    async failOver() {
      await promote(standby);
      await standby.sql(stopWaitingForStandby);
      await standby.sql('SELECT pg_reload_conf()');
      primary = standby;
      for (const { link } of instances) link.redirectTo(primary.port);
    },
    async addStandby() {
      standby = await startStandby(installation, primary);
    },
    async stop() {
      await balancer.stop();
      await Promise.all(instances.map((instance) => instance.kill()));
      await Promise.all(instances.map(({ link }) => link.stop()));
      await upstream.stop();
      await Promise.all([primary.kill(), standby.kill()]);
      directory.remove();
      rmSync(installation.folder, { recursive: true, force: true });
    },
  };
}

async function createInstance(
  folder: string,
  databasePort: number,
  environment: Readonly<Record<string, string>>,
): Promise<Instance> {
  const link = await startFaultProxy(databasePort);
  const port = await freePort();
  let process: ServerProcess | undefined;
  let pastLog = '';
  let stopCount = 0;
  return {
    url: `http://127.0.0.1:${port}`,
    link,
    isUp: () => process !== undefined,
    get stopCount() {
      return stopCount;
    },
    async start() {
      process = await shareWithFile(() =>
        startServerProcess(folder, {
          PORT: String(port),
          DATABASE_URL: urlForPort(link.port),
          ...environment,
        }),
      );
    },
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    log: () => pastLog + (process?.stdout() ?? ''),
    openSockets: () => countSocketsTo(link.port),
  };

  async function end(signal: NodeJS.Signals): Promise<CommandResult> {
    const stopping = process;
    process = undefined;
    stopCount += 1;
    const finished = (await stopping?.stop(signal)) ?? { code: null, stdout: '', stderr: '' };
    pastLog += finished.stdout + finished.stderr;
    return finished;
  }
}

/** Columns of /proc/net/tcp: number, local address, remote address, …; the tenth is the inode. */
function countSocketsTo(port: number): number {
  if (!existsSync('/proc/net/tcp')) return 0;
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/ +/))
    .filter(([, , remote, , , , , , , inode]) => remote === address && inode !== '0').length;
}
