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

  test.each([
    ['choose', () => Promise.resolve()],
    [
      'unreadable file',
      async (page: Page) => {
        await paste(page, 'name\nAnn\n');
        await page.getByRole('alert').getByText('The text has no email column, only "name".').waitFor();
      },
    ],
    [
      'preview',
      async (page: Page) => {
        await paste(page, 'email,Team\na@b.c,x\nnobody\n');
        await page.getByText('Line 3: "nobody" is not an email address.').waitFor();
      },
    ],
    [
      'result',
      async (page: Page) => {
        await paste(page, 'email,role\nlook@example.com,\nowner@localhost,member\nnobody\n');
        await press(page, 'Import 2 people');
        await page.getByText('1 differs and was skipped').waitFor();
      },
    ],
  ])('has accessible layouts: %s', async (what, prepare) => {
    const page = await openImport();
    await prepare(page);
    await expectGoodInEveryAppearance(page, `import-${what.replaceAll(' ', '-')}`);
  });

  test('imports three thousand people with progress and reports invalid lines', async () => {
    const before = await countMembers();
    const page = await openImport();
    const lines = Array.from({ length: 3_000 }, (_, index) => `p-${index}@example.com,First ${index},Last`);
    const bad = ['not an address,x,y', 'p-1@example.com,again,', 'q@example.com,a,b,c'];
    await chooseFile(page, 'people.csv', ['email,first_name,last_name', ...lines, ...bad].join('\r\n'));
    await page.getByText('people.csv: 3,000 people can be imported, 3 lines cannot.').waitFor();
    await page.getByText('Line 3003: "p-1@example.com" is already on line 3.').waitFor();
    const seen = watchProgress(page);
    await press(page, 'Import 3,000 people');
    await page.getByText('Added 3,000 people; 3 lines were rejected.').waitFor();
    expect(await seen).toEqual(expect.arrayContaining(['500', '1000', '1500', '2000', '2500', '3000']));
    await page.getByText('Line 3002: "not an address" is not an email address.').waitFor();
    expect(await countMembers()).toBe(before + 3_000);
    await press(page, 'Done');
    await page.getByText(`of ${(before + 3_000).toLocaleString('en-US')} people loaded`).waitFor();
  });

  test('rejected lines can be copied and downloaded', async () => {
    const page = await openImport();
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
  });

  test('updates existing members only on request', async () => {
    await dashboard.server.post(
      '/api/v1/organization/members',
      { email: 'ada@example.com', first_name: 'Ada' },
      { key: managementKey },
    );
    const text = 'email,first_name\nADA@example.com,Augusta\n';
    const page = await openImport();
    await paste(page, text);
    await press(page, 'Import 1 person');
    await page.getByText('Added 0 people; 1 differs and was skipped').waitFor();
    await page.getByText('Line 2: ADA@example.com is a member with a different name or role.').waitFor();
    await press(page, 'Done');
    await press(page, 'Import from CSV');
    await paste(page, text);
    await page.getByRole('checkbox', { name: 'Update existing members' }).check();
    await press(page, 'Import 1 person');
    await page.getByText('Added 0 people; updated 1.').waitFor();
    const { body } = await dashboard.server.get('/api/v1/organization/members/ada@example.com');
    expect(body.data.first_name).toBe('Augusta');
  });

  test('reports a person that the server rejects and imports the rest of the batch', async () => {
    const page = await openImport();
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

  test('can be stopped and resumed', async () => {
    const page = await openImport();
    const lines = Array.from({ length: 1_200 }, (_, index) => `s-${index}@example.com`);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(importPath, async (route) => {
      await held;
      await route.continue();
    });
    await chooseFile(page, 'people.csv', `email\n${lines.join('\n')}`);
    await press(page, 'Import 1,200 people');
    await press(page, 'Cancel');
    await page.getByText('Stopping after this batch…').waitFor();
    // Escape does not close the dialog while a batch is in flight.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    release();
    await page.getByText('Added 500 people. Imported members are kept.').waitFor();
    await page.getByText('500 of 1,200 people').waitFor();
    await press(page, 'Resume');
    await page.getByText('Added 1,200 people.').waitFor();
  });

  test('stops after the batch in flight when the user leaves the page', async () => {
    const page = await openImport();
    const lines = Array.from({ length: 1_200 }, (_, index) => `l-${index}@example.com`);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let sentCount = 0;
    await page.route(importPath, async (route) => {
      sentCount += 1;
      await held;
      await route.continue();
    });
    await chooseFile(page, 'people.csv', `email\n${lines.join('\n')}`);
    const sent = page.waitForRequest(importPath);
    await press(page, 'Import 1,200 people');
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

  test('reads a dropped file, and ignores a file picker that was cancelled', async () => {
    const page = await openImport();
    await page.getByLabel('Choose file').dispatchEvent('cancel', { bubbles: true });
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['email\\ndrop@example.com\\n'], 'dropped.csv'));
      return data;
    })()`);
    await page.getByText('Drop a CSV file here, or').dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByText('dropped.csv: 1 person can be imported.').waitFor();
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
