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
import { type PostgresNode, promote, startPrimary, startStandby, waitForNobody } from './postgres-node.ts';

/** One presetd, on a port that stays the same, with a way of its own to the database. */
export interface Member {
  readonly url: string;
  readonly link: FaultProxy;
  isUp(): boolean;
  /** How often it was killed. */
  readonly life: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** As an operator does; tells how that ended. */
  stop(): Promise<CommandResult>;
  /** Everything it logged, in all its lives. */
  log(): string;
  /** Sockets to the database that it holds, closed by the other side or not; 0 where the system does not tell. */
  socketsHeld(): number;
}

/** Several presetd behind a balancer, on a PostgreSQL with a synchronous standby. */
export interface Cluster {
  readonly balancer: Balancer;
  readonly members: readonly Member[];
  readonly upstream: ScriptedUpstream;
  readonly primary: PostgresNode;
  readonly standby: PostgresNode;
  /** Makes the standby the primary, and leads everybody to it; to be called when the primary is gone. */
  failOver(): Promise<void>;
  /** A new standby for the primary that has none, and from then on acknowledgements wait for it again. */
  addStandby(): Promise<void>;
  stop(): Promise<void>;
}

export const poolSize = 10;

export async function startCluster(size: number, databaseTimeoutMs: number): Promise<Cluster> {
  const installation = installPostgres();
  if (installation === undefined) throw new Error('There is no PostgreSQL for this platform.');
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
  const members: Member[] = [];
  for (let number = 1; number <= size; number += 1)
    members.push(await createMember(directory.path, primary.port, environment));
  await Promise.all(members.map((member) => member.start()));
  const balancer = await startBalancer(members.map(({ url }) => Number(new URL(url).port)));

  return {
    balancer,
    members,
    upstream,
    get primary() {
      return primary;
    },
    get standby() {
      return standby;
    },
    async failOver() {
      await promote(standby);
      await standby.sql(waitForNobody);
      await standby.sql('SELECT pg_reload_conf()');
      primary = standby;
      for (const { link } of members) link.redirectTo(primary.port);
    },
    async addStandby() {
      standby = await startStandby(installation, primary);
    },
    async stop() {
      await balancer.stop();
      await Promise.all(members.map((member) => member.kill()));
      await Promise.all(members.map(({ link }) => link.stop()));
      await upstream.stop();
      await Promise.all([primary.kill(), standby.kill()]);
      directory.remove();
      rmSync(installation.folder, { recursive: true, force: true });
    },
  };
}

async function createMember(
  folder: string,
  databasePort: number,
  environment: Readonly<Record<string, string>>,
): Promise<Member> {
  const link = await startFaultProxy(databasePort);
  const port = await freePort();
  let process: ServerProcess | undefined;
  let pastLog = '';
  let life = 0;
  return {
    url: `http://127.0.0.1:${port}`,
    link,
    isUp: () => process !== undefined,
    get life() {
      return life;
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
    socketsHeld: () => socketsTo(link.port),
  };

  async function end(signal: NodeJS.Signals): Promise<CommandResult> {
    const dying = process;
    process = undefined;
    life += 1;
    const finished = (await dying?.stop(signal)) ?? { code: null, stdout: '', stderr: '' };
    pastLog += finished.stdout + finished.stderr;
    return finished;
  }
}

/** By the table of the system, whose columns are: number, local and remote address, state, …, inode as the tenth. */
function socketsTo(port: number): number {
  if (!existsSync('/proc/net/tcp')) return 0;
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/ +/))
    .filter(([, , remote, , , , , , , inode]) => remote === address && inode !== '0').length;
}
