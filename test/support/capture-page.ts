import type { Locator, Page } from 'playwright-core';

/** The editor of the page for a new preset. */
export function requestBody(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Request body' });
}

/** Replaces the editor's content with a request. */
export async function paste(page: Page, request: object | string): Promise<void> {
  await requestBody(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(typeof request === 'string' ? request : JSON.stringify(request, null, 2));
}

/** Pastes a request from the clipboard, the way requests arrive in practice, where the focus is. */
export async function pasteFromClipboard(page: Page, request: object | string): Promise<void> {
  const text = typeof request === 'string' ? request : JSON.stringify(request, null, 2);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('ControlOrMeta+v');
}

/** A section of the page by its heading. */
export function panel(page: Page, name: string | RegExp): Locator {
  return page.getByRole('region', { name, exact: true });
}

/** Waits until the server has accepted the current content, with or without warnings. */
export async function accepted(page: Page): Promise<void> {
  await page
    .getByRole('status')
    .getByText(/^(No problems|\d+ warnings?)$/)
    .waitFor();
}
