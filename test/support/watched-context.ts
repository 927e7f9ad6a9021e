import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';

/** Records violations of the rules that every dashboard page must follow. */
export interface WatchedContext {
  /** The violations since the last call, one sentence each. */
  takeProblems(): Promise<readonly string[]>;
}

/** Read at each event, so that they may change from one test to the next. */
export interface WatchOptions {
  /** The only origin that pages may request. */
  readonly origin: string;
  /** Strings that must not appear in any URL. */
  readonly secrets: readonly string[];
  /** The test makes the server fail or stop responding, so failed requests are expected. */
  readonly isFailing?: boolean;
}

/**
 * Watches all pages of a context, including those that they open. Call it before the first page
 * exists.
 */
export async function watchContext(context: BrowserContext, options: WatchOptions): Promise<WatchedContext> {
  const problems: string[] = [];
  const check = (what: string, url: string) => {
    if (!isSameOrigin(url, options.origin)) problems.push(`${what} to another origin: ${url}`);
    if (containsSecret(url, options.secrets)) problems.push(`${what} with a key in its URL: ${url}`);
  };
  context.on('request', (request) => check('request', request.url()));
  context.on('console', (message) => {
    if (isProblem(message, options.isFailing)) problems.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`uncaught exception: ${messageOf(error.error())}`));
  context.on('page', (page) => {
    page.on('crash', () => problems.push(`crash of ${page.url()}`));
    page.on('websocket', (socket) => check('connection', socket.url().replace(/^ws/, 'http')));
    // Also catches URLs that are never requested: history entries and fragments.
    page.on('framenavigated', (frame) => {
      if (containsSecret(frame.url(), options.secrets))
        problems.push(`page with a key in its URL: ${frame.url()}`);
    });
  });
  await context.exposeBinding(reporter, (_source, violation: string) => {
    problems.push(`violation of the content security policy: ${violation}`);
  });
  await context.addInitScript({ content: reportViolations });
  return {
    async takeProblems() {
      await Promise.all(context.pages().map(settle));
      return problems.splice(0);
    },
  };
}

const reporter = 'reportViolationToTest';

const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  window.${reporter}(event.effectiveDirective + ' forbids ' + (event.blockedURI || 'this')));`;

function isSameOrigin(url: string, origin: string): boolean {
  return url.startsWith('data:') || new URL(url).origin === origin;
}

function containsSecret(url: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => url.includes(secret) || url.includes(encodeURIComponent(secret)));
}

/**
 * Chromium logs every response with status 400 or above as an error; pages may legitimately get
 * 4xx.
 */
function isProblem(message: ConsoleMessage, isFailing = false): boolean {
  const expected = isFailing
    ? /^Failed to load resource: /
    : /^Failed to load resource: the server responded with a status of 4\d\d /;
  return ['error', 'warning', 'assert'].includes(message.type()) && !expected.test(message.text());
}

/** Waits for events in flight: they arrive before the result of a later evaluation. */
async function settle(page: Page): Promise<void> {
  // A page that is closed or navigating has nothing more to report.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))').catch(() => undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
