import type { Page } from './organization.ts';

/** A version may hold a megabyte, so few of them are read ahead of whoever takes them, and more of them as they are taken. */
const versionsAtOnce = { first: 2, most: 16 };

/** SQLite answers at once, and a fast reader takes at once: without this, nobody else would have a turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The versions of a page one after the other, no further than the preset had come when it was read. */
export async function* streamVersions<Version>(
  read: (page: Page) => Promise<readonly Version[]>,
  latestVersion: number,
  page: Page = { offset: 0, limit: latestVersion },
): AsyncGenerator<Version> {
  const end = Math.min(page.offset + page.limit, latestVersion);
  let { offset } = page;
  let atOnce = versionsAtOnce.first;
  while (offset < end) {
    yield* await read({ offset, limit: Math.min(atOnce, end - offset) });
    offset += atOnce;
    atOnce = Math.min(2 * atOnce, versionsAtOnce.most);
    await yieldToEventLoop();
  }
}
