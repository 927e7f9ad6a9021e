import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf } from './cpu-time.ts';

const periodMicroseconds = 10_000;

/**
 * Gives each of these processes a part of one core and no more, so that two cores can show what many would do. By control groups,
 * of either version, which wants Linux and root.
 */
export function limitEach(
  processes: readonly number[],
  corePercent: number,
  started: AsyncDisposableStack,
): void {
  for (const process of processes) {
    const group = makeGroup(`presetd-bench-${process}`, (periodMicroseconds * corePercent) / 100);
    writeFileSync(join(group, 'cgroup.procs'), String(process));
    started.defer(async () => rmdirSync(group));
  }
}

/** The processes that serve: the workers, or where there are none, the server itself. */
export function servingProcesses(server: number): readonly number[] {
  const workers = childrenOf(server);
  return workers.length > 0 ? workers : [server];
}

function makeGroup(name: string, quotaMicroseconds: number): string {
  const isOld = existsSync('/sys/fs/cgroup/cpu');
  const root = isOld ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup';
  const group = join(root, name);
  try {
    if (!isOld) writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(group);
    if (isOld) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodMicroseconds));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quotaMicroseconds));
    } else writeFileSync(join(group, 'cpu.max'), `${quotaMicroseconds} ${periodMicroseconds}`);
  } catch (error) {
    throw new Error(`--core-percent wants Linux, root and control groups: ${error}`);
  }
  return group;
}
