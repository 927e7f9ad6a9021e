import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { managementKey } from '../support/server.ts';

const path = '/organization/members';
const importPath = '**/api/v1/organization/members/import';

describeInBrowser('importing members', () => {
  const dashboard = useDashboard();

  async function openImport(): Promise<Page> {
    const page = await dashboard.open(path, { key: managementKey });
    await press(page, 'Import from CSV');
    await page.getByLabel('Choose file').waitFor({ state: 'attached' });
    return page;
  }
  const countMembers = async () =>
    (await dashboard.server.get('/api/v1/organization/members?limit=1')).body.total_count;

  test('has accessible layouts, and updates existing members only on request', async () => {
    const page = await openImport();
    const expectGood = (what: string) => expectGoodInEveryAppearance(page, `import-${what}`);
    await expectGood('choose');
    await paste(page, 'name\nAnn\n');
    await page.getByRole('alert').getByText('The text has no email column, only "name".').waitFor();
    await expectGood('unreadable-file');
    await paste(page, 'email,Team\na@b.c,x\nnobody\n');
    await page.getByText('Line 3: "nobody" is not an email address.').waitFor();
    await expectGood('preview');
    await page.keyboard.press('Escape');

    const body = { email: 'ada@example.com', first_name: 'Ada' };
    await dashboard.server.post('/api/v1/organization/members', body, { key: managementKey });
    const text = 'email,first_name\nADA@example.com,Augusta\nnew@example.com,\nnobody,\n';
    await press(page, 'Import from CSV');
    await paste(page, text);
    await press(page, 'Import 2 people');
    await page.getByText('Added 1 person; 1 differs and was skipped').waitFor();
    await page.getByText('Line 2: ADA@example.com is a member with a different name or role.').waitFor();
    await expectGood('result');
    await press(page, 'Done');
    await press(page, 'Import from CSV');
    await paste(page, text);
    await page.getByRole('checkbox', { name: 'Update existing members' }).check();
    await press(page, 'Import 2 people');
    await page.getByText('Added 0 people; updated 1').waitFor();
    const updated = await dashboard.server.get('/api/v1/organization/members/ada@example.com');
    expect(updated.body.data.first_name).toBe('Augusta');
  });

  test('imports more than a thousand people with progress, can be stopped and resumed, and reports invalid lines', async () => {
    const before = await countMembers();
    const page = await openImport();
    const lines = Array.from({ length: 1_200 }, (_, index) => `p-${index}@example.com,First ${index},Last`);
    const bad = ['not an address,x,y', 'p-1@example.com,again,', 'q@example.com,a,b,c'];
    await chooseFile(page, 'people.csv', ['email,first_name,last_name', ...lines, ...bad].join('\r\n'));
    await page.getByText('people.csv: 1,200 people can be imported, 3 lines cannot.').waitFor();
    await page.getByText('Line 1203: "p-1@example.com" is already on line 3.').waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route(importPath, async (route) => {
      await held;
      await route.continue();
    });
    const seen = watchProgress(page);
    await press(page, 'Import 1,200 people');
    await press(page, 'Cancel');
    await page.getByText('Stopping after this batch…').waitFor();
    // Escape does not close the dialog while a batch is in flight.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    release();
    await page.getByText('500 of 1,200 people').waitFor();
    await page.getByText('Imported members are kept.').waitFor();
    expect(await countMembers()).toBe(before + 500);
    await press(page, 'Resume');
    await page.getByText('Added 1,200 people; 3 lines were rejected.').waitFor();
    expect(await seen).toEqual(expect.arrayContaining(['500', '1000', '1200']));
    await page.getByText('Line 1202: "not an address" is not an email address.').waitFor();
    expect(await countMembers()).toBe(before + 1_200);
    await press(page, 'Done');
    await page.getByText(`of ${(before + 1_200).toLocaleString('en-US')} people loaded`).waitFor();
  });

  test('reads a dropped file, and reports lines that it or the server rejects', async () => {
    const page = await openImport();
    // A file picker that was cancelled is ignored.
    await page.getByLabel('Choose file').dispatchEvent('cancel', { bubbles: true });
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['email\\ndrop@example.com\\n'], 'dropped.csv'));
      return data;
    })()`);
    await page.getByText('Drop a CSV file here, or').dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByText('dropped.csv: 1 person can be imported.').waitFor();
    await page.keyboard.press('Escape');

    await press(page, 'Import from CSV');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await paste(page, `email\n${Array.from({ length: 150 }, (_, index) => `bad-${index}`).join('\n')}\n`);
    await page.getByText('And 50 more.').waitFor();
    expect(await page.getByRole('button', { name: 'Import 0 people' }).isDisabled()).toBe(true);
    await press(page, 'Copy all lines');
    await page.getByText('Copied').first().waitFor();
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    expect(copied.trim().split('\n')).toHaveLength(150);
    const download = page.waitForEvent('download');
    await press(page, 'Download');
    expect((await download).suggestedFilename()).toBe('import-problems.txt');
    await page.keyboard.press('Escape');

    await press(page, 'Import from CSV');
    await page.route(importPath, async (route) => {
      const { members } = route.request().postDataJSON();
      if (members.length < 3) return route.continue();
      const issues = [{ path: '/members/1/email', message: 'must be another one' }];
      await route.fulfill({
        status: 400,
        json: { error: { code: 400, message: 'No.', metadata: { issues } } },
      });
    });
    await paste(page, 'email\none@example.com\ntwo@example.com\nthree@example.com\n');
    await press(page, 'Import 3 people');
    await page.getByText('Added 2 people; 1 line was rejected.').waitFor();
    await page.getByText('Line 3: email must be another one.').waitFor();
  });

  test('stops after the batch in flight when the user leaves the page', async () => {
    const page = await openImport();
    const lines = Array.from({ length: 600 }, (_, index) => `l-${index}@example.com`);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let sentCount = 0;
    await page.route(importPath, async (route) => {
      sentCount += 1;
      await held;
      await route.continue();
    });
    await chooseFile(page, 'people.csv', `email\n${lines.join('\n')}`);
    const sent = page.waitForRequest(importPath);
    await press(page, 'Import 600 people');
    await sent;
    await page.evaluate("history.pushState(null, '', '/organization/workspaces')");
    await page.getByRole('table', { name: 'Workspaces' }).waitFor();
    // The end of the import refetches the list on screen.
    const atEnd = page.waitForRequest('**/api/v1/workspaces?**');
    release();
    await atEnd;
    expect(sentCount).toBe(1);
  });

  test('can be resumed after a failure', async () => {
    const page = await dashboard.open(path, { key: managementKey, isFailing: true });
    await press(page, 'Import from CSV');
    await page.route(importPath, (route) => route.abort());
    await paste(page, 'email\nlate@example.com\n');
    await press(page, 'Import 1 person');
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await page.unroute(importPath);
    await press(page, 'Resume');
    await page.getByText('Added 1 person.').waitFor();
  });

  test('stays responsive while it reads a hundred thousand lines', async () => {
    const page = await openImport();
    const lines = Array.from(
      { length: 100_000 },
      (_, index) => `person-${index}@example.com,First,Last ${index}`,
    );
    const folder = mkdtempSync(join(tmpdir(), 'presetd-people-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'long.csv');
    writeFileSync(file, `email,first_name,last_name\n${lines.join('\n')}`);
    await page.evaluate(countTicks);
    await page.getByLabel('Choose file').setInputFiles(file);
    await page.getByText('long.csv: 100,000 people can be imported.').waitFor();
    // About one per slice of the file.
    expect(await page.evaluate('ticksWhileReading')).toBeGreaterThan(8);
  });
});

/** Counts timer ticks while "Reading…" is visible. */
const countTicks = `(() => {
  globalThis.ticksWhileReading = 0;
  setInterval(() => {
    if (document.querySelector('dialog')?.textContent.includes('Reading…')) globalThis.ticksWhileReading += 1;
  }, 1);
})()`;

async function paste(page: Page, text: string): Promise<void> {
  await page.getByLabel('Or paste CSV').fill(text);
  await press(page, 'Continue');
}

async function chooseFile(page: Page, name: string, content: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(content) };
  await page.getByLabel('Choose file').setInputFiles(file);
}

/** The values of the progress bar until it is complete. */
function watchProgress(page: Page): Promise<readonly string[]> {
  return page.evaluate(`new Promise((resolve) => {
    const values = [];
    new MutationObserver(() => {
      const bar = document.querySelector('progress');
      if (bar === null) return;
      if (values.at(-1) !== bar.getAttribute('value')) values.push(bar.getAttribute('value'));
      if (bar.value === bar.max) resolve(values);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  })`);
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}
