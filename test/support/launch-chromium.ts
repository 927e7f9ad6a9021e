import { type Browser, chromium as playwright } from 'playwright-core';

/** A Chromium executable. */
export interface Chromium {
  readonly executablePath: string;
  /** Environment variables that it needs to start. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Pages of tests live for seconds. Optimizing their code takes more processor time than it saves,
 * and so do processes of their own for graphics and network. In all, tests need a fifth less.
 */
const forShortPages = [
  '--js-flags=--no-opt --no-maglev',
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
];

/**
 * Launches it so that no request leaves this machine: no other host name resolves. With `isQuick`,
 * it uses less processor time but runs scripts more slowly, so do not measure or record its pages.
 */
export function launchChromium(
  { executablePath, environment }: Chromium,
  { isQuick = false } = {},
): Promise<Browser> {
  return playwright.launch({
    executablePath,
    env: { ...process.env, ...environment },
    // Chromium's sandbox does not work as root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      ...(isQuick ? forShortPages : []),
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
