import { type CommandResult, startCommand } from '../support/command.ts';

export interface KillableServer {
  /** Resolves when it listens. Rejects if it exits before that. */
  readonly url: Promise<string>;
  readonly pid: number;
  stdout(): string;
  /** Sends SIGKILL to all its processes and waits until they are gone. */
  kill(): Promise<CommandResult>;
  stop(): Promise<CommandResult>;
}

export interface ServeOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Arguments after `serve`. */
  readonly args?: readonly string[];
}

/**
 * Starts the real command in its own process group. If it re-executes with a newer Node.js or has
 * workers, killing only the first process would let the others shut down gracefully.
 */
export function startKillable(cwd: string, { environment, args = [] }: ServeOptions): KillableServer {
  // A busy machine must not look like too many requests.
  const settings = { PORT: '0', PRESETD_REQUESTS_IN_FLIGHT: '0', ...environment };
  const { process: child, output, finished } = startCommand(['serve', ...args], cwd, settings);
  const pid = child.pid;
  if (pid === undefined) throw new Error('cannot start the server');
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const match = /listens on (http:\S+)/.exec(output.stdout);
      if (match?.[1] !== undefined) resolve(match[1]);
    });
    finished.then(({ code, stderr }) => reject(new Error(`the server exited with ${code}: ${stderr}`)));
  });
  // A test that kills it before it listens does not await the URL.
  url.catch(() => {});
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-pid, name);
    } catch {
      // All its processes are gone.
    }
    return finished;
  };
  return {
    url,
    pid,
    stdout: () => output.stdout,
    kill: () => signal('SIGKILL'),
    stop: () => {
      child.kill('SIGTERM');
      return finished;
    },
  };
}
