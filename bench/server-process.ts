import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly name: string;
  readonly url: string;
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;
/** Longer than presetd gives the requests under way. */
const stopTimeoutMs = 15_000;

/** The real command with its default settings, which includes a log line for every request. */
export function startPresetd(databaseUrl: string): Promise<ServerProcess> {
  return startServer('presetd', ['../bin/presetd.js', 'serve'], databaseUrl);
}

export function startBare(databaseUrl: string): Promise<ServerProcess> {
  return startServer('bare', ['./bare-server.ts'], databaseUrl);
}

async function startServer(
  name: string,
  [script = '', ...args]: readonly string[],
  databaseUrl: string,
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), `presetd-bench-${name}-`));
  // A file, as a service manager would have it; reading a pipe would take time from the load generator.
  const outputFile = join(folder, 'output');
  const output = openSync(outputFile, 'w');
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    cwd: folder,
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: databaseUrl, LOG_LEVEL: 'info' },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const stop = async () => {
    await stopProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { name, url: await announcedUrl(child, outputFile), stop };
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
