import type { Locator, Page } from 'playwright-core';

/** The field for a request that starts a new preset, or the request editor of the workbench. */
export function requestBody(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Request', exact: true });
}

/** Shows the request editor, a tab of the settings; on small screens these are a tab, too. */
export async function showRequest(page: Page): Promise<void> {
  const [settings, request] = ['Settings', 'Request'].map((name) => page.getByRole('tab', { name }));
  if (await settings?.isVisible()) await settings?.click();
  await request?.click();
  await requestBody(page).waitFor();
}

/** Types a request: where a new preset starts, or over the content of the request editor. */
export async function paste(page: Page, request: object | string): Promise<void> {
  await page.getByLabel('Slug').waitFor();
  if (!(await requestBody(page).isVisible())) await showRequest(page);
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
