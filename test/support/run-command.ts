import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../src/cli/run.ts';
import { type CommandResult, type Environment, isolatedProfiles } from './command.ts';
import { longDatabaseTimeout } from './storage-options.ts';

/**
 * Runs a command in this process, as `bin/presetd.js` would in its own, which takes half a second
 * of CPU time just to start. Use `spawnCommand` for a command that serves, that is signaled
 * or that writes to a terminal.
 *
 * A command reads the environment, the working directory and the standard streams of its process.
 * They are replaced while it runs, so commands run one at a time.
 */
export function runCommand(
  args: readonly string[],
  cwd: string,
  environment: Environment = {},
  input: string | Uint8Array = '',
): Promise<CommandResult> {
  const result = previous.then(() => runAlone(args, cwd, environment, input));
  previous = result.catch(() => undefined);
  return result;
}

let previous: Promise<unknown> = Promise.resolve();

async function runAlone(
  args: readonly string[],
  cwd: string,
  environment: Environment,
  input: string | Uint8Array,
): Promise<CommandResult> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const output = Promise.all([text(stdout), text(stderr)]);
  const { PATH = '', HOME = '' } = process.env;
  const { exitCode } = process;
  const directory = process.cwd();
  const restore: (() => void)[] = [];
  try {
    restore.push(
      replace(process, 'env', {
        PATH,
        HOME,
        ...isolatedProfiles(cwd),
        ...longDatabaseTimeout,
        ...environment,
      }),
      replace(process, 'stdin', stdin),
      replace(process, 'stdout', stdout),
      replace(process, 'stderr', stderr),
      replace(console, 'error', (message: unknown) => void stderr.write(`${message}\n`)),
    );
    process.chdir(cwd);
    process.exitCode = undefined;
    await run(args);
    const code = Number(process.exitCode ?? 0);
    stdout.end();
    stderr.end();
    const [written, reported] = await output;
    return { code, stdout: written, stderr: reported };
  } finally {
    process.chdir(directory);
    process.exitCode = exitCode;
    for (const undo of restore) undo();
  }
}

/** Replaces a property, which may be a getter, and returns a function that restores it. */
function replace<Target extends object>(target: Target, name: keyof Target, value: unknown): () => void {
  const original = Object.getOwnPropertyDescriptor(target, name);
  if (original === undefined) throw new Error(`${String(name)} does not exist`);
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
  return () => void Object.defineProperty(target, name, original);
}
