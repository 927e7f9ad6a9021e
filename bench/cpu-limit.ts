import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf } from './cpu-time.ts';

/**
 * A short period keeps throttled processes from pausing for long, which would distort latencies.
 */
const periodMicroseconds = 10_000;

/**
 * Limits each process to a share of one core, so that a machine with two cores can show what more
 * cores would bring. Uses control groups of either version, which requires Linux and root.
 * `started` removes the groups; their processes must have exited by then.
 */
export function limitCpu(
  processes: readonly number[],
  corePercent: number,
  started: AsyncDisposableStack,
): void {
  for (const process of processes) {
    const group = createGroup(`presetd-bench-${process}`, (periodMicroseconds * corePercent) / 100);
    writeFileSync(join(group, 'cgroup.procs'), String(process));
    started.defer(async () => rmdirSync(group));
  }
}

/** The processes that serve requests: the workers, or the server itself when it has none. */
export function servingProcesses(server: number): readonly number[] {
  const workers = childrenOf(server);
  return workers.length > 0 ? workers : [server];
}

function createGroup(name: string, quotaMicroseconds: number): string {
  const isCgroupV1 = existsSync('/sys/fs/cgroup/cpu');
  const root = isCgroupV1 ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup';
  const group = join(root, name);
  try {
    if (!isCgroupV1) writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(group);
    if (isCgroupV1) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodMicroseconds));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quotaMicroseconds));
    } else writeFileSync(join(group, 'cpu.max'), `${quotaMicroseconds} ${periodMicroseconds}`);
  } catch (error) {
    throw new Error(`--core-percent needs Linux, root and control groups: ${error}`);
  }
  return group;
}
