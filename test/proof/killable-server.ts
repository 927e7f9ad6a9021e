import { type CommandResult, startCommand } from '../support/command.ts';

export interface KillableServer {
  /** Resolves when it listens; rejects when it ends before. */
  readonly url: Promise<string>;
  readonly pid: number;
  stdout(): string;
  /** Without a warning, with all of its processes; waits until they are gone. */
  kill(): Promise<CommandResult>;
  stop(): Promise<CommandResult>;
}

export interface ServeOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** After `serve`. */
  readonly args?: readonly string[];
}

/**
 * The real command in a process group of its own: where it hands over to a newer Node.js, or has workers, killing the
 * process that was started would let the others stop in order.
 */
export function startKillable(cwd: string, { environment, args = [] }: ServeOptions): KillableServer {
  const command = ['serve', ...args];
  const { process: child, output, finished } = startCommand(command, cwd, { PORT: '0', ...environment });
  const pid = child.pid;
  if (pid === undefined) throw new Error('the server could not be started');
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const match = /listens on (http:\S+)/.exec(output.stdout);
      if (match?.[1] !== undefined) resolve(match[1]);
    });
    finished.then(({ code, stderr }) => reject(new Error(`the server ended with ${code}: ${stderr}`)));
  });
  // Whoever kills it before it listens need not ask where it would.
  url.catch(() => {});
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-pid, name);
    } catch {
      // All of them are gone.
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
