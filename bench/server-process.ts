import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A server in a child process. `stop` also removes its working directory. */
export interface ServerProcess {
  readonly name: string;
  readonly url: string;
  readonly processId: number;
  stop(): Promise<void>;
}

/** Generous: on a busy machine a start takes seconds. */
const startTimeoutMs = 60_000;
/** Longer than presetd waits for requests in flight. */
const stopTimeoutMs = 15_000;

type Environment = Readonly<Record<string, string>>;

/** Starts the real command with its default settings, which include a log line per request. */
export function startPresetd(databaseUrl: string, environment: Environment = {}): Promise<ServerProcess> {
  return startServer('presetd', ['../bin/presetd.js', 'serve'], {
    DATABASE_URL: databaseUrl,
    ...environment,
  });
}

/** The same command from another checkout, which must have its dependencies installed. */
export function startBaseline(
  folder: string,
  databaseUrl: string,
  environment: Environment = {},
): Promise<ServerProcess> {
  const script = pathToFileURL(join(resolve(folder), 'bin/presetd.js')).href;
  return startServer('baseline', [script, 'serve'], { DATABASE_URL: databaseUrl, ...environment });
}

/** The server of `bare-server.ts`, on a bootstrapped database. */
export function startBare(databaseUrl: string): Promise<ServerProcess> {
  return startServer('bare', ['./bare-server.ts'], { DATABASE_URL: databaseUrl });
}

/** The upstream that all gateways share. */
export function startUpstream(mode: 'whole' | 'stream'): Promise<ServerProcess> {
  return startServer('upstream', ['./gateway-upstream.ts', mode]);
}

/** The proxy of `bare-proxy.ts`, in front of the upstream. */
export function startBareProxy(upstreamUrl: string): Promise<ServerProcess> {
  return startServer('bare', ['./bare-proxy.ts', upstreamUrl]);
}

/** Starts a script with Node.js. */
function startServer(
  name: string,
  [script = '', ...args]: readonly string[],
  environment: Environment = {},
): Promise<ServerProcess> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  return startCommand(name, process.execPath, [file, ...args], environment);
}

/**
 * Starts a command in its own working directory and waits until it announces its URL. On failure
 * nothing is left behind, and the error contains the output.
 */
export async function startCommand(
  name: string,
  command: string,
  args: readonly string[],
  environment: Environment = {},
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), `presetd-bench-${name}-`));
  // Write output to a file, as a service manager would; reading a pipe would take time from the
  // load generator.
  const outputFile = join(folder, 'output');
  const output = openSync(outputFile, 'w');
  const child = spawn(command, args, {
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
    const url = await waitForUrl(child, outputFile);
    return { name, url, processId: child.pid ?? Number.NaN, stop };
  } catch (error) {
    await stop();
    throw new Error(`The server ${name} did not start: ${error}`, { cause: error });
  }
}

/** Waits for the line that announces the URL. Fails when the process exits or takes too long. */
async function waitForUrl(child: ChildProcess, outputFile: string): Promise<string> {
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    const hasExited = isExited(child);
    const text = readFileSync(outputFile, 'utf8');
    const url = /(?:listens|running) on (http:\/\/[\w.:]+)/.exec(text)?.[1];
    if (url !== undefined) return url;
    if (hasExited || performance.now() > deadline) throw new Error(`its output is: ${text}`);
    await delay(20);
  }
}

/** Stops gracefully, or kills the process when it takes too long. */
async function stopProcess(child: ChildProcess): Promise<void> {
  // Ctrl-C reaches the whole process group, so the server may have exited already.
  if (isExited(child)) return;
  const exited = once(child, 'exit');
  const overdue = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(overdue);
}

function isExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
