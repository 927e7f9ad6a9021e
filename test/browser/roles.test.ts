import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { accepted, paste } from '../support/capture-page.ts';
import { useDashboard } from '../support/dashboard.ts';
import { choose, itemsOf, pickPerson } from '../support/menu.ts';
import { invite, makeKey, makeWorkspace } from '../support/organizations.ts';
import { managementKey } from '../support/server.ts';

const path = '/w/search/presets/bot';

describeInBrowser('roles', () => {
  const dashboard = useDashboard({ upstream: true });

  beforeAll(async () => {
    const { server } = dashboard;
    const id = await makeWorkspace(server, 'search');
    for (const model of ['openai/first', 'openai/second']) {
      const request = { model, messages: [{ role: 'system', content: 'Be brief.' }] };
      const created = `/api/v1/presets/bot/chat/completions?workspace_id=${id}`;
      expect((await server.post(created, request, { key: managementKey })).status).toBe(200);
    }
    for (const role of ['viewer', 'editor', 'admin'])
      await invite(server, `${role}@example.com`, { workspaces: [{ id: 'search', role }] });
  });

  /** What the menus offer for the preset and for a version, apart from copying and comparing. */
  async function expectOffers(page: Page, ofPreset: readonly string[], ofVersion: readonly string[]) {
    const items = await itemsOf(page, 'Actions for version 1');
    expect(items.filter((item) => !/^(Copy|Compare|View)/.test(item))).toEqual(ofVersion);
    await page.keyboard.press('Escape');
    const release = page.getByRole('button', { name: 'Make live…' });
    expect(await release.count()).toBe(ofVersion.includes('Make live…') ? 1 : 0);
    const more = page.getByRole('button', { name: 'More actions' });
    expect(await more.count()).toBe(ofPreset.length === 0 ? 0 : 1);
    if (ofPreset.length === 0) return;
    expect(await itemsOf(page, 'More actions')).toEqual(ofPreset);
    await page.keyboard.press('Escape');
  }

  test('a viewer is offered no changes, reads the workbench and runs the live version', async () => {
    const page = await dashboard.open(`${path}/history/1`, { as: 'viewer@example.com', width: 1_440 });
    await expectOffers(page, [], []);
    await expectGoodInEveryAppearance(page, 'preset-as-viewer');
    await page.getByRole('link', { name: 'Workbench' }).click();
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Finish reason').waitFor();
    expect(dashboard.upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    await page.getByText(/^Read-only: you are a viewer of /).waitFor();
    await expectGoodInEveryAppearance(page, 'workbench-as-viewer');

    await go(page, '/w/search/new');
    await page.getByText('You are a viewer of this workspace').waitFor();
    await page.getByRole('link', { name: 'Go to presets' }).click();
    await page.getByRole('table').getByRole('link', { name: 'bot' }).waitFor();
    expect(await page.getByRole('link', { name: 'New preset' }).count()).toBe(0);
  });

  test('an editor saves versions that do not go live, changes the name but not the slug, and creates a preset', async () => {
    const page = await dashboard.open(`${path}/history/1`, { as: 'editor@example.com', width: 1_440 });
    await expectOffers(
      page,
      ['View usage', 'Rename and edit…', 'Add alias…', 'Duplicate'],
      ['Add label…', 'Edit in workbench', 'Duplicate as a new preset'],
    );
    await page.getByRole('link', { name: 'Workbench', exact: true }).click();
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).click();
    await page.keyboard.insertText('Be kind. ');
    await page.getByText('Draft saved').waitFor();
    expect(await page.getByRole('button', { name: 'Save and make live…' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 3 saved, not live').waitFor();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor({ state: 'detached' });
    await choose(page, 'More actions', 'Rename and edit…');
    expect(await dialog.getByRole('textbox', { name: 'Slug' }).getAttribute('readonly')).toBe('');
    await dialog.getByLabel('Name').fill('The bot');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'The bot' }).waitFor();

    // The first version of a preset is live.
    await go(page, '/w/search/new');
    await page.getByLabel('Slug').fill('made-by-editor');
    await paste(page, { model: 'openai/gpt-5', messages: [{ role: 'system', content: 'Hello.' }] });
    await accepted(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByRole('heading', { name: 'made-by-editor' }).waitFor();
  });

  test('an admin of a workspace changes everything, and stops keys of others but cannot rotate them', async () => {
    const { server } = dashboard;
    const { body } = await server.get('/api/v1/organization/people/editor@example.com');
    const workspace = (await server.get('/api/v1/workspaces/search')).body.data.id;
    await makeKey(server, { name: 'Of the editor', creator_user_id: body.data.id, workspace_id: workspace });
    const page = await dashboard.open(`${path}/history/1`, { as: 'admin@example.com' });
    await expectOffers(
      page,
      ['View usage', 'Rename and edit…', 'Add alias…', 'Duplicate', 'Disable…', 'Archive…'],
      ['Make live…', 'Add label…', 'Edit in workbench', 'Duplicate as a new preset'],
    );
    await go(page, `/organization/keys?workspace=${workspace}`);
    expect(await itemsOf(page, 'Actions for Of the editor')).toEqual(['View usage', 'Disable…', 'Delete…']);
    await page.keyboard.press('Escape');

    const members = '/organization/workspaces?members=search';
    await go(page, members);
    await page.getByLabel('Role of viewer@example.com').selectOption('Editor');
    await page.getByText('viewer@example.com is now editor').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('viewer@example.com is viewer again').waitFor();
    await expectGoodInEveryAppearance(page, 'workspace-members-as-admin');
    await invite(dashboard.server, 'added@example.com');
    await pickPerson(page, 'Add a person', 'added', 'added@example.com');
    await page.getByLabel('Role', { exact: true }).first().selectOption('Viewer');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await row(page, 'added@example.com').waitFor();
    expect(await page.getByLabel('Role of added@example.com').inputValue()).toBe('viewer');

    const theirs = await dashboard.open(members, { as: 'viewer@example.com' });
    await row(theirs, 'added@example.com').getByText('Viewer').waitFor();
    await theirs.getByText('Only admins of the workspace can make changes here.').waitFor();
    expect(await theirs.getByRole('combobox', { name: 'Add a person' }).count()).toBe(0);
  });

  test('a viewer reads the audit log of their workspaces, and no one can create a key for them that writes', async () => {
    const page = await dashboard.open('/organization/audit?workspace=search', { as: 'viewer@example.com' });
    await page.getByRole('row').nth(1).waitFor();
    await page.getByRole('combobox', { name: 'Filter' }).click();
    await page.getByRole('option', { name: 'Workspace' }).click();
    await page.getByRole('option', { name: 'search' }).waitFor();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Default', 'search']);
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    const write = dialog.getByRole('radio', { name: 'Write', exact: true });
    await dialog.getByLabel('Workspace').selectOption('search');
    expect(await write.isDisabled()).toBe(true);
    await dialog.getByText('You are a viewer of this workspace, so your keys').waitFor();
    await expectGoodInEveryAppearance(page, 'new-key-as-viewer');

    const admin = await dashboard.open('/organization/keys', { as: 'owner@localhost' });
    await admin.getByRole('button', { name: 'New key' }).click();
    await admin.getByLabel('Name').fill('For the viewer');
    await admin.getByRole('dialog').getByLabel('Workspace').selectOption('search');
    await pickPerson(admin, 'Owner', 'viewer', 'viewer@example.com');
    await admin.getByRole('radio', { name: 'Write', exact: true }).check();
    await admin.getByRole('button', { name: 'Create key' }).click();
    await admin.getByText('viewer@example.com is a viewer of this workspace').waitFor();
    await admin.getByRole('radio', { name: 'Read', exact: true }).check();
    await admin.getByRole('button', { name: 'Create key' }).click();
    await admin.getByText('shown only once').waitFor();
  });
});

/** Without loading the page again. */
function go(page: Page, address: string): Promise<unknown> {
  return page.evaluate(`history.pushState(null, '', '${address}')`);
}

function row(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}
