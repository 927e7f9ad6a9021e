import { fork } from 'node:child_process';

const passedOn = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Runs a script in another Node.js as if it ran here: on the same terminal or pipes, with the signals that this process
 * gets, to the same end. Rejects when that Node.js cannot be started.
 */
export async function handOver(node, script, args) {
  const child = fork(script, args, { execPath: node });
  for (const signal of passedOn) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (...end) => resolve(end));
  });
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** SIGKILL cannot be passed on: a server would keep its port, and whoever started it would not know of it. */
export function endWithStarter() {
  if (process.channel === undefined) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Nothing is said on this channel, so a command that is done need not wait for its end.
  process.channel.unref();
}
