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

/** Opens a menu by the name of its button. Returns the texts of its items. */
export async function itemsOf(page: Page, menu: string): Promise<readonly string[]> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  // It loads on demand.
  await menuItems(page).first().waitFor();
  return menuItems(page).allInnerTexts();
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

/** Chooses a test case by its name; `None` clears the choice. */
export async function chooseCase(page: Page, name: string): Promise<void> {
  if (name === 'None') return page.getByRole('button', { name: 'Clear Test case' }).click();
  await page.getByRole('combobox', { name: 'Test case' }).fill(name);
  await page.getByRole('option').filter({ hasText: name }).first().click();
}

/** The names of all test cases that the workbench offers. */
export async function caseNames(page: Page): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'Choose Test case' }).click();
  const list = page.getByRole('listbox');
  await list.waitFor();
  const names = await list.locator('[role=option] > span:first-child').allInnerTexts();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  return names;
}
