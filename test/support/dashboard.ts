import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults, Result } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { sharedBrowser } from './browser.ts';
import { type GatewayServer, startWithUpstream } from './gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from './server.ts';
import { type WatchedContext, watchContext } from './watched-context.ts';

export interface Dashboard<Server extends TestServer = TestServer> {
  readonly server: Server;
  /**
   * Opens a page in a browser without a past, which is closed after the test. The test fails where one of its pages
   * logs an error or a warning, throws, breaks its content security policy, asks another origin or puts a key in an address.
   */
  open(path: string, options?: OpenOptions): Promise<Page>;
}

export interface DashboardWithUpstream extends Dashboard<GatewayServer> {
  readonly upstream: ScriptedUpstream;
}

export interface OpenOptions {
  /** Whom the page finds signed in. */
  readonly key?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** The server fails, or does not answer, since the test makes it. */
  readonly isFailing?: boolean;
}

interface DashboardOptions {
  readonly upstream?: boolean;
  /** Settings of the server. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A server on SQLite and a browser for all tests around it. With an upstream it answers calls too. */
export function useDashboard(options: DashboardOptions & { readonly upstream: true }): DashboardWithUpstream;
export function useDashboard(options?: DashboardOptions & { readonly upstream?: false }): Dashboard;
export function useDashboard({ upstream = false, environment = {} }: DashboardOptions = {}): Dashboard {
  return upstream
    ? withUpstream(environment)
    : withPages(sharedServer(() => startTestServer('sqlite', environment)));
}

/** Minified, which a browser reads in two thirds of the time. */
const axe = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')};undefined`;

/** Fails with a list of what axe-core, with its default rules, finds wrong with the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // Not as a script element, which the policy of the page would refuse.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  // Telling of everything that is right as well takes it more than twice as long.
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  if (violations.length === 0) return;
  throw new Error(`${page.url()} is not accessible:\n${violations.map(describeViolation).join('\n')}`);
}

/** Saves the whole page as a picture in the folder that PRESETD_TEST_SCREENSHOTS names, for a person to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.PRESETD_TEST_SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

function withUpstream(environment: Readonly<Record<string, string>>): DashboardWithUpstream {
  const upstream = sharedServer(startScriptedUpstream);
  const dashboard = withPages(sharedServer(() => startWithUpstream(upstream.server, environment, 'sqlite')));
  beforeEach(() => upstream.server.clear());
  return {
    get server() {
      return dashboard.server;
    },
    get upstream() {
      return upstream.server;
    },
    open: dashboard.open,
  };
}

function sharedServer<Server extends { stop(): Promise<void> }>(
  start: () => Promise<Server>,
): { readonly server: Server } {
  let server: Server;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());
  return {
    get server() {
      return server;
    },
  };
}

function withPages<Server extends TestServer>(running: { readonly server: Server }): Dashboard<Server> {
  const chromium = sharedBrowser();
  const opened: { readonly context: BrowserContext; readonly watched: WatchedContext }[] = [];
  afterEach(async () => {
    const ending = opened.splice(0);
    const problems = await Promise.all(ending.map(({ watched }) => watched.problems()));
    await Promise.all(ending.map(({ context }) => context.close()));
    if (problems.flat().length > 0) throw new Error(`A page did wrong:\n${problems.flat().join('\n')}`);
  });
  return {
    get server() {
      return running.server;
    },
    async open(path, { key, colorScheme = 'light', width = 1280, height = 800, isFailing = false } = {}) {
      const context = await chromium.browser.newContext({
        colorScheme,
        viewport: { width, height },
        // Nothing is judged or pictured on its way from one look to another.
        reducedMotion: 'reduce',
      });
      // Sooner than the test itself is given up, so that it is told what was waited for.
      context.setDefaultTimeout(120_000);
      const { origin } = new URL(running.server.url);
      const secrets = ['sk-pst-', apiKey, managementKey, ...(key === undefined ? [] : [key])];
      opened.push({ context, watched: await watchContext(context, { origin, secrets, isFailing }) });
      const page = await context.newPage();
      await goSignedIn(page, origin + path, key);
      return page;
    },
  };
}

/** Only the first document finds the key: what the page does with it then is its own affair. */
async function goSignedIn(page: Page, url: string, key: string | undefined): Promise<void> {
  if (key === undefined) {
    await page.goto(url);
    return;
  }
  const content = `sessionStorage.setItem('presetd.key', ${JSON.stringify(key)})`;
  const script = await page.addInitScript({ content });
  await page.goto(url);
  await script.dispose();
}

function describeViolation({ id, help, nodes }: Result): string {
  const places = nodes.map(
    ({ target, failureSummary = '' }) =>
      `    ${target.join(' ')}\n${failureSummary.replace(/^/gm, '      ')}`,
  );
  return `  ${id}: ${help}\n${places.join('\n')}`;
}
