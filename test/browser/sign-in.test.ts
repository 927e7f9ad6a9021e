import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { choose } from '../support/menu.ts';
import { makeMember, makeSignInLink } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { signInAs } from '../support/sign-in.ts';
import { signInWithKey, signOut } from '../support/sign-in-page.ts';

const password = 'purple mountain forklift';

describeInBrowser('the sign-in page', () => {
  const dashboard = useDashboard();

  /** Creates a member with a password. */
  async function makeAccount(email: string): Promise<void> {
    await makeMember(dashboard.server, email);
    const browser = await signInAs(dashboard.server, email);
    expect((await browser.send('PUT', '/account/password', { password })).status).toBe(200);
  }

  test('has accessible layouts, and refuses a wrong password and an unknown account alike', async () => {
    await makeAccount('alan@example.com');
    const page = await dashboard.open('/');
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    await page.getByLabel('Email').waitFor();
    await expectGoodInEveryAppearance(page, 'sign-in');
    await signInWithPassword(page, 'alan@example.com', 'not the password');
    const alert = page.getByRole('alert');
    const message = await alert.innerText();
    await page.reload();
    await signInWithPassword(page, 'nobody@example.com', 'not the password');
    expect(await alert.innerText()).toBe(message);
  });

  test('shows a button per provider, which continues on the requested page, and no password if only they sign in', async () => {
    const page = await dashboard.open('/healthz');
    await withProviders(page, true);
    await page.goto(`${dashboard.server.url}/w/default/presets/bot?version=2`);
    const button = page.getByRole('link', { name: 'Continue with Okta' });
    await button.waitFor();
    expect(await button.getAttribute('href')).toBe(
      '/sign-in/okta?return_to=%2Fw%2Fdefault%2Fpresets%2Fbot%3Fversion%3D2',
    );
    await expectGoodInEveryAppearance(page, 'sign-in-providers');
    await page.unrouteAll();
    await withProviders(page, false);
    await page.reload();
    await page.getByRole('link', { name: 'Continue with Google' }).waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
  });

  test('explains why a provider did not sign in', async () => {
    const page = await dashboard.open('/sign-in?error=not_invited&return_to=%2Faccount');
    await page.getByRole('alert').getByText('Ask an admin of this server to invite you').waitFor();
    await expectGoodInEveryAppearance(page, 'sign-in-error');
  });

  test('an account signs in by keyboard alone, with fields that password managers recognize', async () => {
    await makeAccount('ada@example.com');
    const page = await dashboard.open('/w/default/new');
    await page.getByLabel('Email').waitFor();
    const autocomplete = "[...document.querySelectorAll('input')].map((input) => input.autocomplete)";
    expect(await page.evaluate(autocomplete)).toEqual(['username', 'current-password']);
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('Enter your password.').waitFor();
    // The missing field has the focus.
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New preset' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/w/default/new');
  });

  test('no script can read the session, and a preset opened with Ctrl+click is signed in', async () => {
    await dashboard.server.post('/api/v1/presets/linked/responses', { model: 'm' });
    const page = await dashboard.open('/', { as: 'owner@localhost' });
    const link = page.getByRole('link', { name: 'linked' });
    await link.waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await storage(page)).toEqual([]);
    const opened = page.context().waitForEvent('page');
    await link.click({ modifiers: ['ControlOrMeta'] });
    const tab = await opened;
    await tab.getByRole('heading', { name: 'linked' }).waitFor();
    expect(new URL(tab.url()).pathname).toBe('/w/default/presets/linked');
  });

  test('signing in and signing out apply to all tabs', async () => {
    await makeAccount('tabs@example.com');
    const [one, other] = [await dashboard.open('/account'), await dashboard.open('/w/default/presets')];
    await signInWithPassword(one, 'tabs@example.com', password);
    await one.getByRole('heading', { name: 'Account' }).waitFor();
    await other.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    await signOut(one);
    await one.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(new URL(one.url()).search).toBe('');
    await other.getByText('You signed out in another tab.').waitFor();
    await other.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
  });

  test('a tab shows nothing of one person to the next', async () => {
    await makeAccount('first@example.com');
    await makeMember(dashboard.server, 'second@example.com');
    const page = await dashboard.open('/account', { as: 'first@example.com' });
    await page.getByText('first@example.com, member').waitFor();
    const other = await dashboard.open('/', { as: 'second@example.com' });
    await other.getByRole('button', { name: 'Account of second@example.com' }).waitFor();
    await page.getByText('second@example.com, member').waitFor();
    expect(await page.getByText('first@example.com').count()).toBe(0);
  });

  test('an ended session returns to the same page after the next sign-in, with its draft', async () => {
    await makeAccount('expiring@example.com');
    await invitedAsEditor('expiring@example.com');
    const page = await dashboard.open('/w/default/new', { as: 'expiring@example.com' });
    await page.getByLabel('Slug').fill('half-written');
    await page.getByRole('button', { name: 'Insert example' }).click();
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByLabel('Note').fill('A thought');
    await endSessionsOf('expiring@example.com');
    await page.getByLabel('Top P').fill('0.5');
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('Your session has ended. Sign in to continue.').waitFor();
    await signInWithPassword(page, 'expiring@example.com', password);
    await page.getByText('Unsaved draft restored.').waitFor();
    expect(await page.getByLabel('Slug').inputValue()).toBe('half-written');
    expect(await page.getByLabel('Note').inputValue()).toBe('A thought');
  });

  async function invitedAsEditor(email: string): Promise<void> {
    const { body } = await dashboard.server.get(`/api/v1/organization/people/${email}`);
    const path = `/api/v1/workspaces/default/members/${body.data.id}`;
    await dashboard.server.send('PATCH', path, { role: 'editor' }, { key: managementKey });
  }

  async function endSessionsOf(email: string): Promise<void> {
    const path = `/api/v1/organization/people/${email}/sessions`;
    await dashboard.server.send('DELETE', path, undefined, { key: managementKey });
  }
  test('a one-time link leads to a form that completes the account, and leaves no token behind', async () => {
    await makeMember(dashboard.server, 'new@example.com');
    const link = await makeSignInLink(dashboard.server, 'new@example.com');
    const page = await dashboard.open('/healthz');
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Welcome to presetd' }).waitFor();
    expect(page.url()).toBe(`${dashboard.server.url}/sign-in/link`);
    await expectGoodInEveryAppearance(page, 'welcome');
    expect(await page.getByLabel('Email').getAttribute('readonly')).toBe('');
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Last name').fill('Hopper');
    await page.getByLabel('New password').fill('short');
    await page.keyboard.press('Enter');
    await page.getByText('at least 12 characters. It has 5.').waitFor();
    await page.getByLabel('New password').fill('password1234');
    await page.keyboard.press('Enter');
    await page.getByText('The password must not be a common password').waitFor();
    await page.getByLabel('New password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Account of Grace Hopper' }).waitFor();
    await signOut(page);
    await signInWithPassword(page, 'new@example.com', password);
    await page.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    await page.goBack();
    expect(page.url()).not.toContain('#');
  });

  test('a one-time link leads straight to the page that it names', async () => {
    const link = await makeSignInLink(dashboard.server, 'owner@localhost');
    const page = await dashboard.open('/healthz');
    await page.goto(link.replace('#', '?return_to=%2Faccount#'));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
    expect(page.url()).toBe(`${dashboard.server.url}/account`);
  });

  test('a one-time link that is incomplete or no longer works says what to do', async () => {
    await makeMember(dashboard.server, 'late@example.com');
    const link = await makeSignInLink(dashboard.server, 'late@example.com');
    const page = await dashboard.open('/sign-in/link');
    await page.getByRole('alert').getByText('This link is incomplete').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
    await page.goto(`${link}x`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('This link no longer works').waitFor();
    // A sole owner has no admin to ask.
    await page.getByRole('alert').getByText('or run presetd sign-in-link on the server').waitFor();
    await expectGoodInEveryAppearance(page, 'sign-in-link-used');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
  });

  test('a management key opens all pages, and signing out deletes it', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('button', { name: 'Use a key instead' }).click();
    await expectGoodInEveryAppearance(page, 'sign-in-key');
    await page.getByRole('button', { name: 'Use your account instead' }).click();
    await page.getByLabel('Email').waitFor();
    await signInWithKey(page, `  ${managementKey}\n`);
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    expect(await navigationLinks(page)).toEqual([
      'Presets',
      'Usage',
      'Calls',
      'People',
      'Workspaces',
      'Keys',
      'Audit log',
    ]);
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await storage(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
  });

  test('an unknown key is reported and not stored, and an API key is stored in the tab only', async () => {
    const page = await dashboard.open('/new');
    for (const [key, problem] of [
      ['sk-pst one two', 'Keys contain only ASCII characters and no spaces.'],
      ['', 'Enter a key.'],
      ['schlüssel', 'Keys contain only ASCII characters and no spaces.'],
    ] as const) {
      await signInWithKey(page, key);
      await page.getByText(problem).waitFor();
    }
    await signInWithKey(page, 'sk-not-a-key');
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    expect(await storage(page)).toEqual([]);
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('sk-not-a-key');
    await signInWithKey(page, apiKey);
    // The requested page, and no pages of the organization.
    await page.getByRole('heading', { name: 'New preset' }).waitFor();
    expect(await navigationLinks(page)).toEqual(['Presets', 'Usage', 'Calls']);
    expect(await storage(page)).toEqual([['presetd.key', apiKey]]);
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['presetd.workspace']);
    expect(await page.context().cookies()).toEqual([]);
    const other = await page.context().newPage();
    await other.goto(`${dashboard.server.url}/`);
    await other.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
  });

  test('signing out removes a pending undo and aborts requests in flight', async () => {
    const { server } = dashboard;
    await server.post('/api/v1/presets/undone/responses', { model: 'm' });
    const page = await dashboard.open('/presets/undone', { key: apiKey });
    await choose(page, 'More actions', 'Disable…');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const aborted = page.waitForEvent('requestfailed');
    await page.route('**/api/v1/presets?**', () => undefined);
    await page.getByRole('link', { name: 'Presets', exact: true }).click();
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect((await aborted).url()).toContain('/api/v1/presets');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await server.get('/api/v1/presets/undone')).body.data.status).toBe('disabled');
  });

  test('a key that is disabled during a session returns to the sign-in page', async () => {
    const { server } = dashboard;
    await server.post('/api/v1/presets/any/responses', { model: 'm' });
    const made = await server.post('/api/v1/keys', { name: 'Soon gone' }, { key: managementKey });
    const page = await dashboard.open('/', { key: made.body.key });
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    await server.send(
      'PATCH',
      `/api/v1/keys/${made.body.data.hash}`,
      { disabled: true },
      { key: managementKey },
    );
    await page.getByRole('searchbox').fill('anything');
    await page.getByText('Your key no longer works.').waitFor();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('');
  });

  test('signing in with a key can be retried when the server is unreachable', async () => {
    const page = await dashboard.open('/', { isFailing: true });
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    await page.route('**/api/v1/account', (route) => route.abort());
    await signInWithKey(page, apiKey);
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await expectAccessible(page);
    await page.unroute('**/api/v1/account');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
  });

  test('a one-time link lets an admin change their address', async () => {
    const link = await makeSignInLink(dashboard.server, 'owner@localhost');
    const page = await dashboard.open('/healthz');
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Email').fill('owner@example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('at least 12 characters. It has 0.').waitFor();
    await page.getByLabel('New password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    expect((await dashboard.server.get('/api/v1/organization/people/owner@example.com')).status).toBe(200);
  });
});

async function signInWithPassword(page: Page, email: string, secret: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Answers for a server that has providers. */
function withProviders(page: Page, isPasswordOffered: boolean): Promise<unknown> {
  const providers = [
    { id: 'okta', name: 'Okta' },
    { id: 'google', name: 'Google' },
  ];
  return page.route('**/api/v1/sign-in', (route) =>
    route.fulfill({ json: { data: { password: isPasswordOffered, providers } } }),
  );
}

function navigationLinks(page: Page): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
}

function storage(page: Page): Promise<[string, string][]> {
  return page.evaluate('Object.entries(sessionStorage)');
}
