import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults, Result } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { type SharedBrowser, sharedBrowser } from './browser.ts';
import { type GatewayServer, startWithUpstream } from './gateway-server.ts';
import { makeSignInLink } from './organizations.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from './server.ts';
import { openSharedContext, type SharedContext, samePort } from './shared-context.ts';

/** A server and a browser to test the dashboard with. */
export interface Dashboard<Server extends TestServer = TestServer> {
  readonly server: Server;
  /**
   * Opens a page, the first one in the tab that all tests share; cookies and everything stored are
   * deleted after each test. The test fails if any of its pages logs an error or a warning, throws,
   * violates its content security policy, requests another origin, or puts a key in a URL.
   */
  open(path: string, options?: OpenOptions): Promise<Page>;
}

export interface DashboardWithUpstream extends Dashboard<GatewayServer> {
  readonly upstream: ScriptedUpstream;
}

export interface OpenOptions {
  /** The key to sign in with. */
  readonly key?: string;
  /** The address of the member whose account signs in. All tabs of the test share the session. */
  readonly as?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** The test makes the server fail or stop responding, so failed requests are expected. */
  readonly isFailing?: boolean;
}

interface DashboardOptions {
  readonly upstream?: boolean;
  /** The tests measure the page, so they need a browser as people have it. */
  readonly isMeasured?: boolean;
  /** Settings of the server, as environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Dates changes on the server. Default: the current time. */
  readonly clock?: Clock;
}

/**
 * Starts a server on SQLite and a browser for all tests of the surrounding block. With an upstream,
 * the server also serves inference calls.
 */
export function useDashboard(options: DashboardOptions & { readonly upstream: true }): DashboardWithUpstream;
export function useDashboard(options?: DashboardOptions & { readonly upstream?: false }): Dashboard;
export function useDashboard({
  upstream = false,
  isMeasured = false,
  environment = {},
  clock,
}: DashboardOptions = {}): Dashboard {
  const chromium = sharedBrowser({ isMeasured });
  return upstream
    ? withUpstream(chromium, environment)
    : withPages(
        chromium,
        sharedServer(async () => startTestServer('sqlite', { ...(await samePort()), ...environment }, clock)),
      );
}

/** Minified: a browser parses it in two thirds of the time. */
const axe = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')};undefined`;

/**
 * The part of the page that can be reached: a modal dialog makes the rest inert. The edges of Base
 * UI's popups are hidden and focusable, because they pass the focus on.
 */
const reachable = `{
  include: [[document.querySelector('dialog:modal') ? 'dialog:modal' : 'html']],
  exclude: [['[data-base-ui-focus-guard]']],
}`;

/**
 * Reporting passed checks as well would take more than twice as long. Only a rule that is off by
 * default needs the style sheets, and parsing them again takes a fifth of the time.
 */
const quick = { resultTypes: ['violations'], preload: { assets: ['media'] } };

/**
 * Fails with a list of the violations that axe-core finds on the page, or in its modal dialog, with
 * its default rules or only with those given.
 */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  // Evaluate it: the page's policy would block a script element.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const options = { ...quick, ...(rules && { runOnly: rules }) };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${reachable}, ${JSON.stringify(options)})`);
  if (violations.length === 0) return;
  throw new Error(`${page.url()} is not accessible:\n${violations.map(describeViolation).join('\n')}`);
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Saves a screenshot in the folder that PRESETD_TEST_SCREENSHOTS names, for people to review: of
 * the whole page, or of what fits on the screen. Does nothing without the folder.
 */
export async function screenshot(page: Page, name: string, fullPage = true): Promise<void> {
  const folder = process.env.PRESETD_TEST_SCREENSHOTS;
  if (folder) await page.screenshot({ path: resolve(root, folder, `${name}.png`), fullPage });
}

function withUpstream(
  chromium: SharedBrowser,
  environment: Readonly<Record<string, string>>,
): DashboardWithUpstream {
  const upstream = sharedServer(startScriptedUpstream);
  const dashboard = withPages(
    chromium,
    sharedServer(async () => {
      const settings = { ...(await samePort()), ...environment };
      return startWithUpstream(upstream.server, settings, 'sqlite');
    }),
  );
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

/** Starts a server before the tests of the surrounding block and stops it afterwards. */
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

function withPages<Server extends TestServer>(
  chromium: SharedBrowser,
  running: { readonly server: Server },
): Dashboard<Server> {
  let shared: SharedContext;
  beforeAll(async () => {
    shared = await openSharedContext(chromium.browser);
    shared.rules.secrets = ['sk-pst-', apiKey, managementKey];
  });
  afterEach(async () => {
    const problems = await shared.reset();
    if (problems.length > 0) throw new Error(`A page misbehaved:\n${problems.join('\n')}`);
  });
  return {
    get server() {
      return running.server;
    },
    async open(path, { key, as, colorScheme = 'light', width = 1280, height = 800, isFailing = false } = {}) {
      shared.rules.origin = new URL(running.server.url).origin;
      if (isFailing) shared.rules.isFailing = true;
      if (as !== undefined) await signInAs(as, running.server, shared.context);
      if (key !== undefined) shared.rules.secrets.push(key);
      const { page, script } = await shared.takePage();
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await openAfter(page, running.server.url + path, script + storing(key));
      return page;
    },
  };
}

/**
 * Sets the cookie in the browser, with a link that signs the member in. An earlier session stays,
 * as if it were in another browser; signing in again in the same one would end it.
 */
async function signInAs(email: string, server: TestServer, context: BrowserContext): Promise<void> {
  await context.clearCookies();
  const response = await context.request.post(`${server.url}/api/v1/sign-in/link`, {
    data: { token: new URL(await makeSignInLink(server, email)).hash.slice(1) },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  if (!response.ok()) throw new Error(`cannot sign in as ${email}: ${await response.text()}`);
}

/** Only the first document runs the script; then the page is responsible for keeping the key. */
async function openAfter(page: Page, url: string, content: string): Promise<void> {
  const script = await page.addInitScript({ content });
  await page.goto(url);
  await script.dispose();
}

function storing(key: string | undefined): string {
  return key === undefined ? '' : `sessionStorage.setItem('presetd.key', ${JSON.stringify(key)})`;
}

function describeViolation({ id, help, nodes }: Result): string {
  const places = nodes.map(
    ({ target, failureSummary = '' }) =>
      `    ${target.join(' ')}\n${failureSummary.replace(/^/gm, '      ')}`,
  );
  return `  ${id}: ${help}\n${places.join('\n')}`;
}
