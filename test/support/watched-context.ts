import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';

export interface WatchedContext {
  /** What its pages have done so far that no page of ours may do, a sentence each. */
  problems(): Promise<readonly string[]>;
}

export interface WatchOptions {
  /** The only one that pages may talk to. */
  readonly origin: string;
  /** What may not be in any address. */
  readonly secrets: readonly string[];
  /** The test makes the server fail, or not answer, and looks at what the page does then. */
  readonly isFailing?: boolean;
}

/** Looks on at all pages of a context, also at those that they open; to be called before there are any. */
export async function watchContext(
  context: BrowserContext,
  { origin, secrets, isFailing = false }: WatchOptions,
): Promise<WatchedContext> {
  const problems: string[] = [];
  const check = (what: string, url: string) => {
    if (!isOwn(url, origin)) problems.push(`${what} to another origin: ${url}`);
    if (holdsSecret(url, secrets)) problems.push(`${what} with a key in its address: ${url}`);
  };
  context.on('request', (request) => check('request', request.url()));
  context.on('console', (message) => {
    if (isProblem(message, isFailing)) problems.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`uncaught exception: ${messageOf(error.error())}`));
  context.on('page', (page) => {
    page.on('crash', () => problems.push(`crash of ${page.url()}`));
    page.on('websocket', (socket) => check('connection', socket.url().replace(/^ws/, 'http')));
    // Tells of addresses that are never requested too: those of the history, and what follows a #.
    page.on('framenavigated', (frame) => {
      if (holdsSecret(frame.url(), secrets)) problems.push(`page with a key in its address: ${frame.url()}`);
    });
  });
  await context.exposeBinding(reporter, (_source, violation: string) => {
    problems.push(`violation of the content security policy: ${violation}`);
  });
  await context.addInitScript({ content: reportViolations });
  return {
    async problems() {
      await Promise.all(context.pages().map(settle));
      return problems;
    },
  };
}

const reporter = 'reportViolationToTest';

const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  window.${reporter}(event.effectiveDirective + ' forbids ' + (event.blockedURI || 'this')));`;

function isOwn(url: string, origin: string): boolean {
  return url.startsWith('data:') || new URL(url).origin === origin;
}

function holdsSecret(url: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => url.includes(secret) || url.includes(encodeURIComponent(secret)));
}

/** Chromium logs every answer of 400 and above as an error; pages ask for things that may not be there. */
function isProblem(message: ConsoleMessage, isFailing: boolean): boolean {
  const expected = isFailing
    ? /^Failed to load resource: /
    : /^Failed to load resource: the server responded with a status of 4\d\d /;
  return ['error', 'warning', 'assert'].includes(message.type()) && !expected.test(message.text());
}

/** What a page has begun to tell arrives before the answer to a later question. */
async function settle(page: Page): Promise<void> {
  // A page that is closed, or on its way to another address, has nothing more to tell.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))').catch(() => undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
