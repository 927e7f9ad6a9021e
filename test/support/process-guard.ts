/**
 * The program that `guarded-process.ts` runs next to a test process, to kill the processes that it
 * started and can no longer kill itself. Reads process groups from standard input: `+123` guards
 * one, `-123` drops it. The input ends when the test process exits for any reason, SIGKILL
 * included; groups that are still guarded are killed then.
 */
import { createInterface } from 'node:readline';

const groups = new Set<number>();

for await (const line of createInterface(process.stdin)) {
  const group = Number(line.slice(1));
  if (line.startsWith('+')) groups.add(group);
  else groups.delete(group);
}

for (const group of groups) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The whole group has exited already.
  }
}
