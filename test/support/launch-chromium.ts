import { type Browser, chromium as playwright } from 'playwright-core';

export interface Chromium {
  readonly executablePath: string;
  /** What it needs in its environment to start. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts it so that no request goes further than this machine: no other host has an address in it. */
export function launchChromium({ executablePath, environment }: Chromium): Promise<Browser> {
  return playwright.launch({
    executablePath,
    env: { ...process.env, ...environment },
    // Chromium refuses to run as root with its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-domain-reliability',
      // The pages of a test are all ours, and a process for each takes time to start.
      '--renderer-process-limit=1',
      '--no-pings',
      '--no-proxy-server',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  });
}
