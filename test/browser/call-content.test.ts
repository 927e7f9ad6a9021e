import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { cut, upstreamError } from '../support/upstream-scripts.ts';
import { completionText, recordingOf } from '../support/wire/recordings.ts';

describeInBrowser('the content of a call', () => {
  const dashboard = useDashboard({ upstream: true });
  const admin = { key: managementKey };
  /** The ids of calls that are stored. */
  let logged: string;
  let failed: string;
  let cutOff: string;
  let earlier: string;

  const called = async (body: object, key = apiKey): Promise<string> => {
    const { headers } = await dashboard.server.call({ model: '@preset/parcel-bot', ...body }, { key });
    const id = headers.get('x-generation-id') ?? '';
    const stored = async (path: string) => (await dashboard.server.get(path)).status === 200;
    while (!(await stored(`/api/v1/generation?id=${id}`))) await delay(20);
    return id;
  };
  const open = async (id: string, options: object = admin): Promise<Page> =>
    dashboard.open(`/w/default/calls/${id}`, options);
  const content = (page: Page) => page.getByRole('region', { name: 'Content' });
  const show = (page: Page) => content(page).getByRole('button', { name: 'Show content' }).click();
  const reads = async () =>
    (await dashboard.server.get('/api/v1/audit?kind=workspace.content_read&limit=100')).body.data.length;

  beforeAll(async () => {
    const { server, upstream } = dashboard;
    await server.capture('parcel-bot', {
      model: 'openai/gpt-5',
      messages: [{ role: 'system', content: 'You answer for {{company}}.' }],
      presetd: { variables: { company: { type: 'string' } } },
    });
    const log = (enabled: boolean) =>
      server.send('PATCH', '/api/v1/workspaces/default/content-log', { enabled, bytes_max: 65_536 }, admin);
    const messages = [{ role: 'user', content: 'Where is my parcel?' }];
    const prompt = { id: 'parcel-bot', variables: { company: 'Acme' } };
    earlier = await called({ messages, prompt });
    await log(true);
    logged = await called({ messages, prompt });
    upstream.respondWith(upstreamError(400, 'The parcel is too large'));
    failed = await called({ messages, prompt });
    const { stream } = recordingOf['chat-completions'];
    upstream.respondWith(cut(stream.subarray(0, Math.floor(stream.length / 2))));
    const long = [{ role: 'user', content: 'long '.repeat(20_000) }];
    cutOff = await called({ messages: long, prompt, stream: true });
    for (const id of [logged, failed, cutOff])
      while ((await server.get(`/api/v1/generation/content?id=${id}`)).status !== 200) await delay(20);
    const report = { generation_id: logged, category: 'incorrect_response', comment: 'Wrong city' };
    await server.post('/api/v1/generation/feedback', report);
  });

  test('is read when somebody asks for it, once, and shows what was said', async () => {
    const page = await open(logged);
    const before = await reads();
    await page.getByRole('heading', { name: 'Calls' }).locator('..').getByText('Content log on').waitFor();
    await content(page).getByText('Each view is recorded in the audit log.').waitFor();
    await expectGoodInEveryAppearance(page, 'call-content-closed');
    expect(await reads()).toBe(before);
    await show(page);
    await content(page).getByText('You answer for Acme.').waitFor();
    const messages = await content(page).getByRole('list').first().getByRole('listitem').allInnerTexts();
    expect(messages.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      'System You answer for Acme.',
      'User Where is my parcel?',
      `Response ${completionText}`,
    ]);
    await expectGoodInEveryAppearance(page, 'call-content');
    await content(page).getByText('Sent to the upstream, as chat-completions').click();
    await content(page).getByText('"model": "openai/gpt-5"').waitFor();
    await page.getByRole('region', { name: 'Feedback' }).getByText('Wrong city').waitFor();
    expect(await reads()).toBe(before + 1);
    const audit = await dashboard.open('/organization/audit?kind=workspace.content_read', {
      key: managementKey,
    });
    await audit.getByRole('link', { name: logged }).first().click();
    await content(audit).getByText('Each view is recorded in the audit log.').waitFor();
  });

  test('is saved as a test case, unless there is one with this name', async () => {
    const page = await open(logged);
    await show(page);
    const dialog = page.getByRole('dialog');
    const save = async (name: string) => {
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Save case' }).click();
    };
    const press = () => content(page).getByRole('button', { name: 'Save as test case…' }).click();
    await press();
    await expectGoodInEveryAppearance(page, 'call-content-save');
    await dialog.getByLabel('Name').fill('..');
    await dialog.getByText('must not be "." or ".."').waitFor();
    await dialog.getByLabel('Note').fill('Says where it is');
    await save('Parcel');
    await page.getByText('Saved the case Parcel of parcel-bot').waitFor();
    const saved = (await dashboard.server.get('/api/v1/presets/parcel-bot/cases/Parcel')).body.data;
    expect(saved).toMatchObject({
      variables: { company: 'Acme' },
      messages: [{ role: 'user', content: 'Where is my parcel?' }],
      note: 'Says where it is',
    });
    await press();
    await save('Parcel');
    await dialog.getByText('There is already a case Parcel').waitFor();
    await save('Parcel 2');
    await page.getByText('Saved the case Parcel 2 of parcel-bot').waitFor();
  });

  test('has the error of a call that failed, and says what is missing of a long one', async () => {
    const page = await open(failed);
    await show(page);
    await content(page).getByText('The client got 400').waitFor();
    await content(page).getByText('The parcel is too large').waitFor();
    await page.goto(`${dashboard.server.url}/w/default/calls/${cutOff}`);
    await show(page);
    await content(page)
      .getByText('The stored request is incomplete, so it cannot be saved as a test case.')
      .waitFor();
    expect(await content(page).getByRole('button', { name: 'Save as test case…' }).isDisabled()).toBe(true);
    expect(await content(page).getByText('Not whole', { exact: true }).count()).toBe(3);
    await expectGoodInEveryAppearance(page, 'call-content-cut');
  });

  test('says why there is none, and who could read it', async () => {
    const page = await open(earlier);
    await show(page);
    await content(page).getByText('Not stored: the log was off when the call was made, or').waitFor();
    const id = await makeMember(dashboard.server, 'viewer@example.com');
    const role = { role: 'viewer' };
    await dashboard.server.send('PATCH', `/api/v1/workspaces/default/members/${id}`, role, admin);
    const other = await open(logged, { as: 'viewer@example.com' });
    await content(other)
      .getByText('Admins of the workspace can read logged requests and responses')
      .waitFor();
    expect(await content(other).getByRole('button').count()).toBe(0);
    const workspace = await makeWorkspace(dashboard.server, 'elsewhere');
    const { secret } = await makeKey(dashboard.server, { workspace_id: workspace });
    expect(
      (await dashboard.server.get(`/api/v1/generation/content?id=${logged}`, { key: secret })).status,
    ).toBe(401);
  });
});
