/**
 * The program that `guarded-process.ts` runs beside a test process, to end the processes which that
 * one started and can no longer end itself. It reads the process groups to guard from standard
 * input, `+123` to add one and `-123` to drop it. Its input ends when the test process is gone,
 * however that happened, SIGKILL included; what is still guarded then is killed.
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
    // The whole group has ended already.
  }
}
