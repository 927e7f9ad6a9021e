import { type Browser, chromium as playwright } from 'playwright-core';

/** A Chromium executable. */
export interface Chromium {
  readonly executablePath: string;
  /** Environment variables that it needs to start. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Launches it so that no request leaves this machine: no other host name resolves. */
export function launchChromium({ executablePath, environment }: Chromium): Promise<Browser> {
  return playwright.launch({
    executablePath,
    env: { ...process.env, ...environment },
    // Chromium's sandbox does not work as root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-domain-reliability',
      // All pages are ours, so they need no isolation, and starting a process for each takes time.
      '--renderer-process-limit=1',
      '--no-pings',
      '--no-proxy-server',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  });
}
