import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { pasteFromClipboard, requestBody } from '../support/capture-page.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { findWord, type Hands, keyboard, mouse } from '../support/hands.ts';
import { apiKey } from '../support/server.ts';
import { recorded } from '../support/upstream-scripts.ts';
import { recordings } from '../support/wire/recordings.ts';

const request = {
  model: 'openai/gpt-5',
  temperature: 0.2,
  messages: [
    { role: 'system', content: 'You answer customers of Acme in Spanish.' },
    { role: 'user', content: 'Where is my parcel?' },
  ],
};
const curl = `curl https://example.com/v1/chat/completions -d '${JSON.stringify(request)}'`;

/** All sizes by mouse and by keyboard; pages are checked in light and dark, at all sizes. */
describeInBrowser('a day of a prompt engineer', () => {
  const dashboard = useDashboard({ upstream: true });

  for (const handsOn of [mouse, keyboard])
    for (const width of [1_440, 1_024, 390])
      test(`goes from a curl line to a rollback by ${handsOn.name} at ${width} px`, async () => {
        const slug = `day-${handsOn.name}-${width}`;
        dashboard.upstream.respondWith(recorded(recordings['openai-chat']));
        const page = await dashboard.open('/new', { key: apiKey, width, height: 900 });
        const hands = handsOn(page);
        const day = dayOn(page, hands);

        await day.createFrom(curl, slug);
        await day.makeVariable('Acme', 'acme');
        await day.makeVariable('Spanish', 'spanish');
        for (const [name, company] of [
          ['Shop', 'Fernhill'],
          ['Bank', 'Northbank'],
          ['Railway', 'Westline'],
        ] as const)
          await day.saveCase(name, company);
        await day.check(`${slug}-cases`);

        await day.compareWith('anthropic/claude-sonnet-5');
        await day.check(`${slug}-compared`);
        const models = dashboard.upstream.requests.flatMap(({ body }) => body?.model ?? []);
        expect(new Set(models)).toEqual(new Set(['openai/gpt-5', 'anthropic/claude-sonnet-5']));

        await day.saveVersion('Company and language as variables');
        await day.makeLive(2);
        expect(await liveVersion(slug)).toBe(2);
        await day.check(`${slug}-live`);
        await day.makeLive(1);
        expect(await liveVersion(slug)).toBe(1);
      });

  async function liveVersion(slug: string): Promise<number> {
    const { body } = await dashboard.server.get(`/api/v1/presets/${slug}`);
    return (body as { data: { designated_version: { version: number } } }).data.designated_version.version;
  }
});

/** The steps of the day. `hands` decide how each is done. */
function dayOn(page: Page, hands: Hands) {
  const prompt = page.getByRole('textbox', { name: 'System prompt', exact: true });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');

  /** On small screens the parts of the workbench are tabs. */
  async function showPart(name: string) {
    const tab = page.getByRole('tab', { name, exact: true });
    if ((await tab.count()) > 0 && (await tab.getAttribute('aria-selected')) !== 'true')
      await hands.press(tab);
  }
  async function select(word: string) {
    await hands.focus(prompt);
    if (hands.name === 'mouse') {
      // The page may move between looking and clicking, such as when the bar gets another line.
      const selectOnce = async () => {
        const { x, y } = await findWord(prompt, word);
        await page.mouse.dblclick(x, y);
        return page.evaluate('document.activeElement.shadowRoot.getSelection().toString().trim()');
      };
      await expect.poll(selectOnce, { interval: 200 }).toBe(word);
      return;
    }
    await page.keyboard.press('ControlOrMeta+F');
    await page.keyboard.type(word);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
  }
  return {
    async createFrom(curlLine: string, slug: string) {
      await hands.fill(page.getByRole('textbox', { name: 'Slug' }), slug);
      await hands.focus(requestBody(page));
      await pasteFromClipboard(page, curlLine);
      await page.getByRole('status').getByText('No problems').waitFor();
      await hands.press(button('Create preset'));
      await page.getByText('Version 1 is live').waitFor();
      await prompt.waitFor();
    },
    async makeVariable(word: string, name: string) {
      await showPart('Prompt');
      await select(word);
      await hands.press(button('Make variable'));
      await expect.poll(() => prompt.innerText()).toContain(`{{${name}}}`);
    },
    async saveCase(name: string, company: string) {
      await showPart('Run');
      const variables = page.getByRole('button', { name: /^Variables/ });
      if ((await variables.getAttribute('aria-expanded')) === 'false') await hands.press(variables);
      await hands.fill(page.getByRole('textbox', { name: 'acme', exact: true }), company);
      await hands.choose(button('Case actions'), page.getByRole('menuitem', { name: 'Save as case…' }));
      await hands.fill(dialog.getByRole('textbox', { name: 'Name' }), name);
      await hands.press(dialog.getByRole('button', { name: 'Save case' }));
      await page.getByText(`Saved the case ${name}`).waitFor();
    },
    async compareWith(model: string) {
      await showPart('Run');
      await hands.press(button('Compare'));
      const column = page.getByRole('region', { name: /^Live/ });
      await hands.fill(column.getByRole('combobox', { name: 'Model' }), model);
      await page.keyboard.press('Escape');
      if (hands.name === 'keyboard') await page.keyboard.press('ControlOrMeta+Enter');
      else await hands.press(button('Run all'));
      await expect.poll(() => page.getByText('Finish reason').count()).toBe(2);
    },
    async saveVersion(note: string) {
      if (hands.name === 'keyboard') await page.keyboard.press('ControlOrMeta+S');
      else await hands.press(button('Save…'));
      await dialog.getByText('{{acme}}').first().waitFor();
      await expectAccessible(page);
      await hands.fill(dialog.getByRole('textbox', { name: 'Note' }), note);
      await hands.press(dialog.getByRole('button', { name: 'Save', exact: true }));
      await page.getByText('Version 2 saved, not live').waitFor();
    },
    async makeLive(version: number) {
      const history = page.getByRole('navigation', { name: 'Preset' }).getByRole('link', { name: 'History' });
      await hands.press(history);
      const actions = page.getByRole('list', { name: 'Versions, newest first' });
      await hands.choose(
        actions.getByRole('button', { name: `Actions for version ${version}`, exact: true }),
        page.getByRole('menuitem', { name: 'Make live…' }),
      );
      await hands.press(dialog.getByRole('button', { name: /^Make .*live( anyway)?$/ }));
      await dialog.waitFor({ state: 'detached' });
    },
    /** The same pages look the same however they were reached, so check them for one hand only. */
    async check(name: string) {
      if (hands.name === 'keyboard') return;
      await expectAccessible(page);
      await screenshot(page, name);
      await page.emulateMedia({ colorScheme: 'dark' });
      // The other rules do not depend on colors.
      await expectAccessible(page, ['color-contrast']);
      await screenshot(page, `${name}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
    },
  };
}
