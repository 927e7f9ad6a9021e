import type { Locator } from 'playwright-core';
import { demoWorkspaces } from '../../src/demo/demo.ts';
import type { Stage } from './stage.ts';

/** One scene of the tour. */
export interface Scene {
  readonly caption: string;
  play(stage: Stage): Promise<void>;
}

const preset = demoWorkspaces[0]?.presets[0];
const versions = preset?.versions.length ?? 0;
const live = (preset?.versions.findLastIndex(({ staged }) => !staged) ?? -1) + 1;

/** The day of somebody who improves a prompt, in about a minute. */
export const scenes: readonly Scene[] = [
  {
    caption: 'All prompts of a team, with their live versions and labels',
    async play({ page, click, hold }) {
      const link = page.getByRole('link', { name: preset?.name ?? '', exact: true }).first();
      await link.waitFor();
      await hold(1_600);
      await click(link);
      await openTab(page.getByRole('link', { name: 'Workbench', exact: true }), editor({ page }));
    },
  },
  {
    caption: 'Edit the prompt as text',
    async play(stage) {
      await stage.hold(700);
      await stage.click(editor(stage));
      await stage.page.keyboard.press('ControlOrMeta+End');
      await stage.type('\n\nIf somebody is angry, apologize once and get to the point.');
      await stage.hold(700);
    },
  },
  {
    caption: 'Turn words into variables',
    async play({ page, click, selectWord, hold }) {
      await page.keyboard.press('ControlOrMeta+Home');
      await selectWord('Fernhill');
      await hold(500);
      await click(page.getByRole('button', { name: 'Make variable' }));
      await hold(1_200);
    },
  },
  {
    caption: 'Try it on a test case, through the same gateway as production',
    async play(stage) {
      await chooseCase(stage, 'No order number');
      await stage.hold(500);
      await run(stage, 1);
      await stage.hold(1_200);
    },
  },
  {
    caption: 'Compare the draft with the live version or another model',
    async play(stage) {
      const { page, click, drag, hold } = stage;
      await drag(page.getByRole('separator').last(), -340);
      await click(page.getByRole('button', { name: 'Compare', exact: true }));
      await hold(400);
      await run(stage, 2);
      await hold(1_500);
    },
  },
  {
    caption: 'Or run all cases at once',
    async play({ page, click, hold }) {
      await click(page.getByRole('tab', { name: 'All cases' }));
      await click(page.getByRole('button', { name: 'Run all cases' }));
      await hold(1_000);
      await click(page.getByRole('button', { name: /^Run \d+ calls$/ }));
      await hold(6_000);
    },
  },
  {
    caption: 'Save a version: the dialog shows what changes',
    async play({ page, type, click, hold }) {
      await page.keyboard.press('ControlOrMeta+S');
      const dialog = page.getByRole('dialog').last();
      await click(dialog.getByRole('textbox', { name: 'Note' }));
      await type('Calmer answers for angry customers');
      await hold(1_300);
      await click(dialog.getByRole('button', { name: 'Save', exact: true }));
      await page
        .getByText(/Version \d+ saved/)
        .first()
        .waitFor();
      await hold(1_000);
    },
  },
  {
    caption: 'Every version, with its author and what changed',
    async play({ page, click, hold }) {
      await click(page.getByRole('link', { name: /^(History|Versions|Overview)$/ }).first());
      await hold(1_600);
      await click(page.getByRole('link', { name: /^Compare version \d+ with|^Compare with/ }).first());
      await hold(2_200);
    },
  },
  {
    caption: 'Make it live. Calls use it within a second',
    async play({ page, click, hold }) {
      await makeLive({ page, click }, versions + 1);
      await hold(1_500);
    },
  },
  {
    caption: 'And roll back just as fast',
    async play({ page, click, hold }) {
      await makeLive({ page, click }, live);
      await hold(1_800);
    },
  },
];

function editor({ page }: Pick<Stage, 'page'>): Locator {
  return page.getByRole('textbox', { name: 'System prompt', exact: true });
}

/** Presets may open on the workbench already. */
async function openTab(tab: Locator, content: Locator): Promise<void> {
  await tab.waitFor();
  if (!(await content.isVisible())) await tab.click();
  await content.waitFor();
}

async function chooseCase({ page, pointAt, click }: Stage, name: string): Promise<void> {
  const cases = page.getByRole('combobox', { name: 'Test case' });
  await pointAt(cases);
  await click(cases);
  await click(page.getByRole('option', { name }).first());
}

/** Waits for the responses of so many columns, and shows the last. */
async function run({ page }: Stage, columns: number): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Enter');
  const last = page.getByText('Finish reason').nth(columns - 1);
  await last.waitFor();
  await last.scrollIntoViewIfNeeded();
}

/** From the menu of a version in the history, with the dialog that says what moves. */
async function makeLive({ page, click }: Pick<Stage, 'page' | 'click'>, version: number): Promise<void> {
  await click(
    page
      .getByRole('button', {
        name: new RegExp(`^(Actions of|Actions for|More actions for) version ${version}$`, 'i'),
      })
      .first(),
  );
  const item = { name: /^Make live/ };
  await click(page.getByRole('menuitem', item).or(page.getByRole('button', item)).first());
  await click(
    page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Make (version \d+ )?live|Roll back)/ })
      .last(),
  );
  await page
    .getByText(new RegExp(`Version ${version} is live`))
    .first()
    .waitFor();
}
