import type { Page } from 'playwright-core';

/** Signs in on the sign-in page, with a key instead of an account. */
export async function signInWithKey(page: Page, key: string): Promise<void> {
  const field = page.getByLabel('Key', { exact: true });
  const toggle = page.getByRole('button', { name: 'Use a key instead' });
  await field.or(toggle).first().waitFor();
  if ((await field.count()) === 0) await toggle.click();
  await field.fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs out by the menu of the header. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of / }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
}
