import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { watchContext } from './watched-context.ts';

/**
 * The context of all dashboard tests of this process, or of all that measure. It outlives blocks
 * and files, because a page that has loaded the dashboard before loads it again in half of the
 * processor time: its process is warm, and it has the assets and their compiled code in memory.
 */
export interface SharedContext {
  readonly context: BrowserContext;
  /** The rules for the pages of the current test. */
  readonly rules: Rules;
  /**
   * The page that all tests share, or a new one for a test that needs more. Its first document must
   * run the script, which deletes what earlier tests have stored.
   */
  takePage(): Promise<{ readonly page: Page; readonly script: string }>;
  /**
   * Leaves the page, and deletes the listeners, routes, cookies and permissions of the test.
   * Returns the violations of the rules.
   */
  reset(): Promise<readonly string[]>;
}

/**
 * The server of each block listens on the port of the one before, so that the browser has its
 * assets. It is not in the range of ports that the system gives to others meanwhile.
 */
export async function samePort(): Promise<{ readonly PORT: string }> {
  while (port === undefined || !(await isFree(port))) port = randomInt(20_000, 30_000);
  return { PORT: String(port) };
}

let port: number | undefined;

function isFree(candidate: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(candidate, () => server.close(() => resolve(true)));
  });
}

interface Rules {
  origin: string;
  secrets: string[];
  isFailing: boolean;
}

export async function openSharedContext(browser: Browser): Promise<SharedContext> {
  const context = contexts.get(browser) ?? (await createContext(browser));
  contexts.set(browser, context);
  return context;
}

const contexts = new WeakMap<Browser, SharedContext>();

async function createContext(browser: Browser): Promise<SharedContext> {
  // Screenshots and accessibility checks must not catch a transition half-way.
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  // Shorter than the test's timeout, so that the error names what was waited for.
  context.setDefaultTimeout(120_000);
  const rules: Rules = { origin: '', secrets: [], isFailing: false };
  const watched = await watchContext(context, rules);
  let page = await context.newPage();
  let isTaken = false;
  return {
    context,
    rules,
    async takePage() {
      if (isTaken) return { page: await context.newPage(), script: '' };
      isTaken = true;
      if (page.isClosed()) page = await context.newPage();
      return { page, script: 'localStorage.clear(); sessionStorage.clear();' };
    },
    async reset() {
      const problems = await watched.takeProblems();
      await Promise.all(context.pages().map((other) => other !== page && other.close()));
      if (isTaken && !page.isClosed()) await leave(page);
      isTaken = false;
      rules.isFailing = false;
      await context.clearPermissions();
      await context.clearCookies();
      return problems;
    },
  };
}

async function leave(page: Page): Promise<void> {
  page.removeAllListeners('request');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto('about:blank');
}
