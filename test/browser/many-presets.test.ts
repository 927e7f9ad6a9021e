import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { PresetSummary } from '../../src/api/presets.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { mainThreadTasks } from '../support/main-thread-tasks.ts';
import { apiKey } from '../support/server.ts';

const count = 5_000;

/**
 * Tasks of more than 100 ms make a page feel slow: a key press waits for them. Beside other
 * processes, the same work took twice the processor time. Rendering all rows would take seconds.
 */
const taskMsMax = 300;

describeInBrowser('a workspace of 5,000 presets', () => {
  const dashboard = useDashboard({ isMeasured: true });

  test('stays smooth while the user types, scrolls, sorts and selects', async () => {
    const page = await dashboard.open('/sign-in', { width: 1440, height: 900 });
    await answerWithPresets(page);
    await page.evaluate(`sessionStorage.setItem('presetd.key', '${apiKey}')`);
    await page.goto(new URL('/', page.url()).href);
    const everything = page.getByText('5,000 presets', { exact: true });
    await everything.waitFor();
    // Only the rows near the window are rendered.
    expect(await page.getByRole('row').count()).toBeLessThan(80);

    const search = page.getByRole('searchbox');
    const longest = await longestTasks(page, {
      typing: async () => {
        await search.pressSequentially('refund', { delay: 50 });
        await page.getByText('500 presets', { exact: true }).waitFor();
        await search.fill('');
        await everything.waitFor();
      },
      scrolling: async () => {
        await page.mouse.move(700, 600);
        for (let step = 0; step < 20; step += 1) {
          await page.mouse.wheel(0, 800);
          await page.evaluate('new Promise(requestAnimationFrame)');
        }
        // The browser goes on scrolling smoothly; returning before it ends would not reach the top.
        await expect.poll(() => page.evaluate('scrollY')).toBe(20 * 800);
        await page.evaluate('scrollTo(0, 0)');
      },
      sorting: async () => {
        await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
        await page.getByRole('row', { name: /Preset 0000/ }).waitFor();
      },
      selecting: async () => {
        await page.getByRole('checkbox', { name: 'Select all' }).click();
        await page.getByText(/5,?000 selected/).waitFor();
      },
    });
    for (const [what, ms] of Object.entries(longest)) expect(ms, what).toBeLessThan(taskMsMax);
  });
});

/** Creating them on the server would take a minute, and its speed is not what is measured here. */
async function answerWithPresets(page: Page): Promise<void> {
  const presets = Array.from({ length: count }, (_, index) => summary(index));
  await page.route('**/api/v1/presets?**', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const found = presets.filter(({ name }) => name.toLowerCase().includes(query.get('q') ?? ''));
    const offset = Number(query.get('offset') ?? 0);
    await route.fulfill({
      json: {
        data: found.slice(offset, offset + Number(query.get('limit') ?? 50)),
        total_count: found.length,
        total_count_exact: true,
      },
    });
  });
}

function summary(index: number): PresetSummary {
  const at = new Date(Date.UTC(2026, 10, 1) - index * 3_600_000).toISOString();
  const number = String((index * 37) % count).padStart(4, '0');
  return {
    id: `01a1dcf2-bcb6-7425-a21f-${String(index).padStart(12, '0')}`,
    name: `Preset ${number} ${index % 10 === 0 ? 'Refund' : 'Support'}`,
    slug: `preset-${number}`,
    description: null,
    status: index % 20 === 0 ? 'disabled' : 'active',
    status_updated_at: null,
    created_at: at,
    updated_at: at,
    creator_user_id: 'user_e69be27fa28477b2123182cc712d2ce2',
    workspace_id: '01a1dcf2-bc40-75ad-82d0-b2d5456e406d',
    designated_version_id: '01a1dcf2-bcb6-7425-a21f-6c896148aadb',
    designated_version_number: 1 + (index % 3),
    latest_version: 3,
    labels: index % 2 === 0 ? { production: 1, staging: 2 } : {},
    aliases: [],
    tags: index % 3 === 0 ? ['eu', 'support', 'team:growth'] : [],
    model: index % 2 === 0 ? 'openai/gpt-5' : 'anthropic/claude-sonnet-4.5',
    updated_by: 'user_e69be27fa28477b2123182cc712d2ce2',
    updated_by_email: `person-${index % 40}@example.com`,
    updated_by_name: `Person ${index % 40}`,
    last_called_at: index % 5 === 0 ? null : new Date(Date.now() - index * 60_000).toISOString(),
  };
}

/** The longest task of the main thread during each step, in milliseconds of processor time. */
async function longestTasks<Step extends string>(
  page: Page,
  steps: Readonly<Record<Step, () => Promise<void>>>,
): Promise<Record<Step, number>> {
  const longest: Partial<Record<Step, number>> = {};
  for (const step of Object.keys(steps) as Step[]) {
    const tasks = await mainThreadTasks(page, steps[step]);
    expect(tasks.length).toBeGreaterThan(0);
    longest[step] = Math.max(...tasks);
  }
  return longest as Record<Step, number>;
}
