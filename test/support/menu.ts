import type { Locator, Page } from 'playwright-core';

/** Opens a menu by the name of its button and chooses an item. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await menuItem(page, item).click();
}

/** An item of the open menu. */
export function menuItem(page: Page, text: string): Locator {
  return menuItems(page).filter({ hasText: new RegExp(`^${RegExp.escape(text)}$`) });
}

/** All items of the open menu. */
export function menuItems(page: Page): Locator {
  return page.locator('[data-item], [role="menuitem"]').filter({ visible: true });
}

/** Opens the menu of the row with this name. */
export async function openRowMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
}

/** Chooses an action in the menu of a row. */
export async function chooseInRowMenu(page: Page, name: string, item: string): Promise<void> {
  await choose(page, `Actions for ${name}`, item);
}

/** Chooses a person in a picker by part of their name or address. */
export async function pickPerson(page: Page, label: string, search: string, email: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).fill(search);
  await page.getByRole('option').filter({ hasText: email }).click();
}
