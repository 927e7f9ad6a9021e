import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/postgres-server.ts';
import { spawnInTest } from '../../support/test-scope.ts';
import { isLong, logProgress } from '../scale.ts';
import { until } from './until.ts';

/** Forwards connections to the presetd instances that are alive. */
export interface Balancer {
  readonly name: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** Health check interval. */
const checkMs = 200;

/**
 * Starts HAProxy. If it is missing, the long run installs it and the short run uses a minimal
 * balancer of our own.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  return hasHaproxy() ? startHaproxy(ports) : startOwnBalancer(ports);
}

function hasHaproxy(): boolean {
  if (haproxyVersion() !== undefined) return true;
  if (!isLong) return false;
  if (process.getuid?.() !== 0)
    throw new Error('The long proof needs HAProxy: run "apt-get install haproxy" first, or run it as root.');
  process.stderr.write("HAProxy is missing: installing Debian's package.\n");
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'haproxy']])
    execFileSync('apt-get', args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    });
  return true;
}

function haproxyVersion(): string | undefined {
  try {
    return /version (\S+)/.exec(execFileSync('haproxy', ['-v'], { encoding: 'utf8' }))?.[1];
  } catch {
    return undefined;
  }
}

async function startHaproxy(ports: readonly number[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const port = await freePort();
  writeFileSync(file, haproxyConfiguration(port, ports));
  const haproxy = spawnInTest('haproxy', ['-db', '-f', file]);
  for (const output of [haproxy.stdout, haproxy.stderr]) output.resume();
  await until(() => isListening(port), 'HAProxy did not start');
  const name = `HAProxy ${haproxyVersion()}`;
  logProgress(`the balancer is ${name}`);
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(haproxy, 'exit');
      haproxy.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Checks /healthz, not /readyz: without the database no instance is ready, but each still serves
 * cached reads and returns 503 for the rest.
 */
function haproxyConfiguration(port: number, ports: readonly number[]): string {
  return `
defaults
  mode tcp
  timeout connect 1s
  timeout client 1m
  timeout server 1m
  timeout check 5s
  retries 3
  option redispatch 1

listen presetd
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk GET /healthz
  default-server check inter ${checkMs}ms fall 2 rise 1 on-marked-down shutdown-sessions
${ports.map((each, index) => `  server presetd-${index + 1} 127.0.0.1:${each}`).join('\n')}
`;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return isOpen;
}

/** A minimal balancer: round robin over live ports; tries the next one if a connection fails. */
async function startOwnBalancer(ports: readonly number[]): Promise<Balancer> {
  const live = new Set(ports);
  const sockets = new Set<Socket>();
  let connections = 0;

  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const forward = (client: Socket, candidates: readonly number[]) => {
    const [port, ...others] = candidates;
    if (port === undefined) {
      client.destroy();
      return;
    }
    const server = connect(port, '127.0.0.1');
    track(server);
    server.once('error', () => {
      if (server.bytesRead === 0 && !isConnected) forward(client, others);
    });
    let isConnected = false;
    server.once('connect', () => {
      isConnected = true;
      client.pipe(server).pipe(client);
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
    });
  };
  const balancer = createServer({ pauseOnConnect: true }, (client) => {
    track(client);
    connections += 1;
    const first = connections % ports.length;
    const rotated = [...ports.slice(first), ...ports.slice(0, first)];
    forward(client, [
      ...rotated.filter((port) => live.has(port)),
      ...rotated.filter((port) => !live.has(port)),
    ]);
  });
  const check = async (port: number) => {
    const isLive = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) })
      .then(({ ok }) => ok)
      .catch(() => false);
    if (isLive) live.add(port);
    else live.delete(port);
  };
  const timer = setInterval(() => ports.forEach(check), checkMs);
  balancer.listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  return {
    name: 'minimal balancer',
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    async stop() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      balancer.close();
      await once(balancer, 'close');
    },
  };
}
