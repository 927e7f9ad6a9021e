import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { runCommand } from '../support/run-command.ts';
import { startServerOn } from '../support/server.ts';

describe('sign-in links', () => {
  const directory = createWorkingDirectory();
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase('sqlite');
  });
  afterEach(() => database.drop());

  const start = () => startServerProcess(directory.path, { DATABASE_URL: database.url });
  const signIn = (server: ServerProcess, link: string) =>
    fetch(`${server.url}/api/v1/sign-in/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: new URL(link).hash.slice(1) }),
    });
  const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const account = (server: ServerProcess, cookie: string) =>
    fetch(`${server.url}/api/v1/account`, { headers: { cookie } });

  it('the first start and the command each print a sign-in link, and a revocation survives kill -9', async () => {
    const first = await start();
    const banner = first.stdout();
    const link = /^ {2}(http:\S+\/sign-in\/link#\S+)$/m.exec(banner)?.[1] ?? '';
    expect(banner).toContain(
      'To sign in as owner@localhost, open this link within 15 minutes; it works once:',
    );
    expect(new URL(link).origin).toBe(first.url);
    const signedIn = await signIn(first, link);
    expect(signedIn.status).toBe(200);
    expect((await signIn(first, link)).status).toBe(401);

    const command = await runCommand(['sign-in-link'], directory.path, {
      DATABASE_URL: database.url,
      PRESETD_PUBLIC_URL: 'https://presets.example.com',
    });
    expect(command.stderr).toMatch(/^Created a link that signs in owner@localhost \(.+\)\. It works once, /);
    expect(command.stdout).toMatch(/^https:\/\/presets\.example\.com\/sign-in\/link#pst_link_[\w-]{43}\n$/);
    const second = cookieOf(await signIn(first, command.stdout.trim()));
    expect((await account(first, second)).status).toBe(200);

    const ended = await fetch(`${first.url}/api/v1/account/sessions`, {
      method: 'DELETE',
      headers: { cookie: second, 'sec-fetch-site': 'same-origin' },
    });
    expect(ended.status).toBe(200);
    await first.stop('SIGKILL');
    const again = await start();
    expect(again.stdout()).not.toContain('pst_link_');
    for (const cookie of [second, cookieOf(signedIn)])
      expect((await account(again, cookie)).status).toBe(401);
    await again.stop();
  });

  it('the sign-in-link command explains why it cannot create a link', async () => {
    const environment = { DATABASE_URL: database.url };
    const run = (...args: readonly string[]) =>
      runCommand(['sign-in-link', ...args], directory.path, environment);
    expect((await runCommand(['migrate'], directory.path, environment)).code).toBe(0);
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Start the server once'),
    });
    await (await startServerOn(database)).stop();
    expect(await run('nobody@example.com')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('nobody@example.com is not a member.'),
    });
    expect((await run('OWNER@localhost')).code).toBe(0);
  });
});
