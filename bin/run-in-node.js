import { fork } from 'node:child_process';

const forwardedSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Runs a script in another Node.js as if it ran here. The child shares the terminal or pipes of
 * this process and receives its signals; then this process ends with the same exit code or signal.
 * Rejects if that Node.js cannot be started.
 */
export async function runInNode(node, script, args) {
  const child = fork(script, args, { execPath: node });
  for (const signal of forwardedSignals) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (...result) => resolve(result));
  });
  if (signal === null) process.exit(code);
  // Our own handler would forward the signal to a child that is gone.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * Stops this process if the parent that forked it is killed. SIGKILL cannot be forwarded, and
 * without this an orphaned server would keep its port. The closed channel is how the child notices.
 */
export function stopWithParent() {
  if (process.channel === undefined) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel carries no messages, so it must not keep a finished command alive.
  process.channel.unref();
}
