import type { Page } from 'playwright-core';

/** Opens the menu of the row with this name. */
export async function openRowMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
}

/** Chooses an action in the menu of a row. */
export async function chooseInRowMenu(page: Page, name: string, item: string): Promise<void> {
  await openRowMenu(page, name);
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Chooses a person in a picker by part of their name or address. */
export async function pickPerson(page: Page, label: string, search: string, email: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).fill(search);
  await page.getByRole('option').filter({ hasText: email }).click();
}
