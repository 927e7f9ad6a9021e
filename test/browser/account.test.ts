import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { chooseInRowMenu } from '../support/menu.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { signInAs } from '../support/sign-in.ts';

const email = 'ada@example.com';
const password = 'purple mountain forklift';

describeInBrowser('the Account and Device pages', () => {
  const dashboard = useDashboard();
  let creator_user_id: string;

  beforeAll(async () => {
    creator_user_id = await makeMember(dashboard.server, email, { first_name: 'Ada' });
  });

  test('has accessible layouts, and changes the name; only admins can change their address', async () => {
    await makeKey(dashboard.server, { name: 'Laptop', creator_user_id });
    const page = await dashboard.open('/account', { as: email });
    await row(page, 'Laptop').waitFor();
    await page.getByText('This browser').waitFor();
    await expectGoodInEveryAppearance(page, 'account');
    await page.getByRole('button', { name: 'Account of Ada' }).click();
    await expectGoodInEveryAppearance(page, 'account-menu');
    await page.keyboard.press('Escape');
    await page.getByLabel('Last name').fill('Lovelace');
    await press(page, 'Save');
    await page.getByRole('button', { name: 'Account of Ada Lovelace' }).waitFor();
    expect(await page.getByLabel('Email').getAttribute('readonly')).toBe('');
    await page.getByText('Only an admin can change it.').waitFor();
    const admin = await dashboard.open('/account', { as: 'owner@localhost' });
    await admin.getByLabel('Email').fill('nobody');
    await press(admin, 'Save');
    await admin.getByText('Enter an email address').waitFor();
  });

  test('sets a password, and asks for it before it is changed', async () => {
    await makeMember(dashboard.server, 'alan@example.com');
    const page = await dashboard.open('/account', { as: 'alan@example.com' });
    await page.getByLabel('New password').fill('too short');
    await press(page, 'Set password');
    await page.getByText('It has 9.').waitFor();
    await page.getByLabel('New password').fill('alan@example.com');
    await press(page, 'Set password');
    await page.getByText('The password must not contain alan, which is part of').waitFor();
    await page.getByLabel('New password').fill('password1234');
    await press(page, 'Set password');
    await page.getByText('The password must not be a common password').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('New password').fill(password);
    await press(page, 'Set password');
    await page.getByText('Password changed').waitFor();

    await page.context().clearCookies();
    await page.goto(`${dashboard.server.url}/account`);
    await page.getByLabel('Email').fill('alan@example.com');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByLabel('New password').fill(`${password} again`);
    await press(page, 'Change password');
    await page.getByText('Enter your current password.').waitFor();
    await page.getByLabel('Current password').fill('not this one');
    await press(page, 'Change password');
    // Still signed in.
    await page.getByText('This is not your current password.').waitFor();
    await page.getByLabel('Current password').fill(password);
    await press(page, 'Change password');
    await page.getByText('Password changed').waitFor();
  });

  test('ends another session, and all of them', async () => {
    const as = 'sessions@example.com';
    await makeMember(dashboard.server, as);
    await signInAs(dashboard.server, as);
    const current = await dashboard.open('/account', { as });
    await current.getByText('This browser').waitFor();
    await expect.poll(() => sessions(current).count()).toBe(3);
    await current.getByRole('button', { name: /^End session/ }).click();
    await current.getByText(/^Ended session /).waitFor();
    await expect.poll(() => sessions(current).count()).toBe(2);
    await press(current, 'Sign out everywhere…');
    await current.getByText('Your keys keep working.').waitFor();
    await press(current, 'Sign out everywhere');
    await current.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
  });

  test('members create, rotate and delete their own keys', async () => {
    await makeMember(dashboard.server, 'keys@example.com');
    const page = await dashboard.open('/account', { as: 'keys@example.com' });
    await page.getByText('No keys yet').waitFor();
    await press(page, 'New key');
    expect(await page.getByLabel('Owner', { exact: true }).count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('Phone');
    await press(page, 'Create key');
    const secret = await page.getByRole('region', { name: 'Secret' }).innerText();
    await press(page, 'Done');
    await press(page, 'Close without copying');
    await row(page, 'Phone').getByText('Call', { exact: true }).waitFor();
    const { body } = await dashboard.server.get('/api/v1/account', { key: secret });
    expect(body.data).toMatchObject({
      email: 'keys@example.com',
      credential: { kind: 'api', scope: 'call' },
    });
    await chooseInRowMenu(page, 'Phone', 'Rotate…');
    await press(page, 'Rotate key');
    await page.getByRole('region', { name: 'Secret' }).waitFor();
    await press(page, 'Done');
    await press(page, 'Close without copying');
    await chooseInRowMenu(page, 'Phone', 'Delete…');
    await press(page, 'Delete key');
    await page.getByText('No keys yet').waitFor();
  });

  test.each([
    ['API', apiKey, 0],
    ['management', managementKey, 1],
  ])('the account can only be viewed with a key of the kind %s', async (_, key, keyLists) => {
    const page = await dashboard.open('/account', { key });
    await page.getByText('You are signed in with a key').waitFor();
    expect(
      await page.getByRole('button', { name: /^(Save|Change password|Sign out everywhere)/ }).count(),
    ).toBe(0);
    if (keyLists > 0) await page.getByRole('table', { name: 'Keys' }).waitFor();
    else expect(await page.getByRole('table').count()).toBe(0);
  });
  const start = async () =>
    (await dashboard.server.post('/api/v1/sign-in/device', { client_name: 'ada-laptop' }, { key: null })).body
      .data;
  const poll = async (device_code: string) =>
    (await dashboard.server.post('/api/v1/sign-in/device/token', { device_code }, { key: null })).body.data;

  test('a command line can be approved by its code, and an unknown code corrected', async () => {
    const { user_code, device_code } = await start();
    const page = await dashboard.open('/device', { as: 'owner@localhost' });
    await page.getByLabel('Code').waitFor();
    await expectGoodInEveryAppearance(page, 'device-code');
    await enterCode(page, 'BBBB-BBBB');
    await page.getByRole('alert').getByText('This code is not valid').waitFor();
    await press(page, 'Enter another code');
    await page.getByLabel('Code').waitFor();
    await page.keyboard.insertText(user_code.toLowerCase());
    await page.keyboard.press('Enter');
    await page.getByText(user_code, { exact: true }).waitFor();
    await page.getByText('ada-laptop').waitFor();
    await page.getByText('127.0.0.1').waitFor();
    await expectGoodInEveryAppearance(page, 'device-confirm');
    expect((await poll(device_code)).status).toBe('pending');
    await press(page, 'Approve');
    await page.getByText('ada-laptop is signed in').waitFor();
    await expectGoodInEveryAppearance(page, 'device-approved');
    const { status, key } = await poll(device_code);
    expect(status).toBe('approved');
    expect((await dashboard.server.get('/api/v1/account', { key })).body.data.email).toBe('owner@localhost');
  });

  test('a command line prints an address that can be opened, even after a sign-in, and be denied', async () => {
    const { verification_url, user_code, device_code } = await start();
    const { pathname } = new URL(verification_url);
    const signedOut = await dashboard.open(pathname);
    await signedOut.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(new URL(signedOut.url()).searchParams.get('return_to')).toBe('/device');
    const page = await dashboard.open(pathname, { as: 'owner@localhost' });
    await enterCode(page, user_code);
    await press(page, 'Deny');
    await page.getByText('ada-laptop was denied').waitFor();
    expect((await poll(device_code)).status).toBe('denied');
  });

  test('ignores a device code in the address, so that a link cannot trick anyone into approving it', async () => {
    const { user_code } = await start();
    const page = await dashboard.open(`/sign-in/device?code=${user_code}`, { as: 'owner@localhost' });
    await page.getByLabel('Code').waitFor();
    await page.goto(new URL(`/device?code=${user_code}`, page.url()).href);
    await page.getByLabel('Code').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  test('a key cannot approve a command line', async () => {
    const page = await dashboard.open('/device', { key: managementKey });
    await page.getByText('Only an account can approve a command-line sign-in.').waitFor();
  });
});

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await press(page, 'Continue');
}

function row(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

function sessions(page: Page) {
  return page.getByRole('table', { name: 'Sessions' }).getByRole('row');
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).last().click();
}
