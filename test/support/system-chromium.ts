import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Chromium } from './launch-chromium.ts';

/** Undefined when the PATH has no such command. */
export function systemChromium(name: string): Chromium | undefined {
  const executablePath = findOnPath(name);
  return executablePath === undefined ? undefined : { executablePath, environment: {} };
}

/** Installs Debian's package. Undefined unless running as root on a system with apt-get. */
export async function debianChromium(): Promise<Chromium | undefined> {
  if (process.getuid?.() !== 0 || findOnPath('apt-get') === undefined) return undefined;
  process.stderr.write("No Chromium found for the browser tests: installing Debian's package.\n");
  aptGet('update');
  aptGet('install', '-y', '--no-install-recommends', 'chromium');
  return systemChromium('chromium');
}

function aptGet(...args: readonly string[]): void {
  execFileSync('apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
  });
}

/** The path of an executable on the PATH; undefined when there is none. */
function findOnPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
