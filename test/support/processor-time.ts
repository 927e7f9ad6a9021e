/**
 * Runs work and returns the processor time that this thread spent on it, in milliseconds. Unlike
 * the time on the clock, it does not depend on what else the machine does.
 */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
