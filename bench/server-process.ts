import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface ServerProcess {
  readonly name: string;
  readonly url: string;
  readonly processId: number;
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;
/** Longer than presetd gives the requests under way. */
const stopTimeoutMs = 15_000;

type Environment = Readonly<Record<string, string>>;

/** The real command with its default settings, which includes a log line for every request. */
export function startPresetd(databaseUrl: string, environment: Environment = {}): Promise<ServerProcess> {
  return startServer('presetd', ['../bin/presetd.js', 'serve'], {
    DATABASE_URL: databaseUrl,
    ...environment,
  });
}

/** The same command of another checkout, such as the last release, with its dependencies installed. */
export function startBaseline(
  folder: string,
  databaseUrl: string,
  environment: Environment = {},
): Promise<ServerProcess> {
  const script = pathToFileURL(join(resolve(folder), 'bin/presetd.js')).href;
  return startServer('baseline', [script, 'serve'], { DATABASE_URL: databaseUrl, ...environment });
}

export function startBare(databaseUrl: string): Promise<ServerProcess> {
  return startServer('bare', ['./bare-server.ts'], { DATABASE_URL: databaseUrl });
}

export function startUpstream(answers: 'whole' | 'stream'): Promise<ServerProcess> {
  return startServer('upstream', ['./gateway-upstream.ts', answers]);
}

export function startBareProxy(upstreamUrl: string): Promise<ServerProcess> {
  return startServer('bare', ['./bare-proxy.ts', upstreamUrl]);
}

/** As its documentation starts it for use without its pages, in the mode for production. */
export function startPortkey(): Promise<ServerProcess> {
  const script = '../node_modules/@portkey-ai/gateway/build/start-server.js';
  const preload = new URL('./portkey-preload.ts', import.meta.url).href;
  return startServer('portkey', [script, '--headless'], { NODE_ENV: 'production' }, ['--import', preload]);
}

async function startServer(
  name: string,
  [script = '', ...args]: readonly string[],
  environment: Environment = {},
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), `presetd-bench-${name}-`));
  // A file, as a service manager would have it; reading a pipe would take time from the load generator.
  const outputFile = join(folder, 'output');
  const output = openSync(outputFile, 'w');
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [...nodeOptions, file, ...args], {
    cwd: folder,
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const stop = async () => {
    await stopProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const url = await announcedUrl(child, outputFile);
    return { name, url, processId: child.pid ?? Number.NaN, stop };
  } catch (error) {
    await stop();
    throw new Error(`The server ${name} did not start. ${error}`, { cause: error });
  }
}

async function announcedUrl(child: ChildProcess, outputFile: string): Promise<string> {
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    const hasEnded = isEnded(child);
    const text = readFileSync(outputFile, 'utf8');
    const url = /listens on (http:\/\/[\w.:]+)/.exec(text)?.[1];
    if (url !== undefined) return url;
    if (hasEnded || performance.now() > deadline) throw new Error(`It said: ${text}`);
    await delay(20);
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  // Ctrl-C reaches the whole process group, so it may be gone already.
  if (isEnded(child)) return;
  const exited = once(child, 'exit');
  const overdue = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(overdue);
}

function isEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
