import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory, startCommand } from '../support/command.ts';
import { anyEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';

const managementKey = 'the-management-key-of-the-owner';
const email = 'grace@example.com';

/** Each test continues where the one before it ended: an account is invited, used and closed. */
describe('signing in on the command line', () => {
  let server: TestServer;
  /** Of the person, in the browser. */
  let cookie: string;
  const serverFolder = createWorkingDirectory();
  const folder = createWorkingDirectory();

  beforeAll(async () => {
    server = await startTestServer(anyEngine, {
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    });
  });
  afterAll(async () => {
    await server.stop();
    serverFolder.remove();
    folder.remove();
  });

  /** As an admin, with the key in the environment. */
  const asAdmin = (...args: string[]) =>
    runCommand(args, serverFolder.path, { PRESETD_URL: server.url, PRESETD_MANAGEMENT_KEY: managementKey });
  /** As the person, with a profile only. */
  const asPerson = (...args: string[]) => runCommand(args, folder.path);

  const inBrowser = (method: string, path: string, body?: object) =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  async function openLink(link: string): Promise<string> {
    cookie = '';
    const response = await inBrowser('POST', '/sign-in/link', { token: new URL(link).hash.slice(1) });
    expect(response.status).toBe(200);
    return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  }

  const shownCode = /enter the code (\S+):/;

  /** Runs `presetd login` until the person has decided in the browser. */
  async function login(approve: boolean) {
    const { output, finished } = startCommand(['login', server.url], folder.path, {});
    await expect.poll(() => output.stderr).toMatch(shownCode);
    const code = shownCode.exec(output.stderr)?.[1];
    expect(output.stderr).toContain(`\n  ${server.url}/sign-in/device\n`);
    expect((await inBrowser('POST', `/sign-in/device/${code}`, { approve })).status).toBe(200);
    return finished;
  }

  const storedKey = (): string =>
    JSON.parse(readFileSync(join(folder.path, '.config', 'presetd', 'profiles.json'), 'utf8')).profiles[0]
      .key;
  const statusOf = (key: string) =>
    fetch(`${server.url}/api/v1/account`, { headers: { authorization: `Bearer ${key}` } });

  it('member invite prints a link that signs the person in', async () => {
    const { code, stdout, stderr } = await asAdmin(
      'member',
      'invite',
      email,
      '--workspace',
      'default=editor',
    );
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Invited grace@example\.com as org:member\./)]);
    cookie = await openLink(stdout.trim());
    const { stdout: list } = await asAdmin('member', 'list', '--details');
    expect(list).toMatch(/\ngrace@example\.com +active +org:member +\S+ \S+ +default \(editor\) /);
  });

  it('a login that the person denies saves nothing', async () => {
    const { code, stderr } = await login(false);
    expect([code, stderr.split('\n').at(-2)]).toEqual([3, 'Sign-in was denied in the browser.']);
    expect((await asPerson('whoami')).code).toBe(3);
  });

  it('a login that the person approves lets commands act as that person', async () => {
    const { code, stdout } = await login(true);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^grace@example\.com\n(.*\n)*workspaces +default \(editor\)\n(.*\n)*state +expires /,
      ),
    ]);
    expect(await asPerson('whoami')).toEqual({ code: 0, stdout, stderr: '' });
    expect((await asPerson('preset', 'list')).code).toBe(0);
    expect((await asPerson('member', 'deactivate', email)).code).toBe(3);
  });

  it('logging in again replaces the key', async () => {
    const old = storedKey();
    expect((await login(true)).code).toBe(0);
    expect(storedKey()).not.toBe(old);
    expect((await statusOf(old)).status).toBe(401);
  });

  it('a deactivated person cannot use the profile until they are reactivated', async () => {
    expect((await asAdmin('member', 'deactivate', email)).code).toBe(0);
    expect(await statusWithinOneSecond(() => statusOf(storedKey()))).toBe(403);
    expect((await asPerson('whoami')).code).toBe(3);
    expect((await inBrowser('GET', '/account')).status).toBe(401);
    expect((await asAdmin('member', 'reactivate', email)).code).toBe(0);
    await expect.poll(async () => (await asPerson('whoami')).code).toBe(0);
  });

  it('member sessions ends the sessions that a sign-in link began', async () => {
    const link = await asAdmin('member', 'sign-in-link', email);
    cookie = await openLink(link.stdout.trim());
    expect((await asAdmin('member', 'sessions', email)).stdout).toMatch(/^ID +METHOD .*\n\S+ +link /);
    expect((await asAdmin('member', 'sessions', email, '--end')).code).toBe(0);
    expect(await statusWithinOneSecond(() => inBrowser('GET', '/account'))).toBe(401);
    expect((await asAdmin('member', 'sessions', email)).stdout).toBe('Not signed in anywhere.\n');
  });

  it('logout deletes the key on the server', async () => {
    const key = storedKey();
    expect(await asPerson('logout')).toMatchObject({
      code: 0,
      stderr: `Deleted profile ${new URL(server.url).host}. Its key no longer works.\n`,
    });
    expect(await statusWithinOneSecond(() => statusOf(key))).toBe(401);
    expect((await asPerson('whoami')).code).toBe(3);
  });
});
