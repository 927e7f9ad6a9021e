import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorkingDirectory, spawnCommand, startCommand } from '../support/command.ts';
import { startStubServer } from '../support/stub-server.ts';

/** A server on which a person decides as `status` says. */
function signInServer(status: string): RequestListener {
  const device = { device_code: 'd', user_code: 'TEST-CODE', interval_seconds: 1 };
  const responses: Readonly<Record<string, object>> = {
    '/api/v1/sign-in/device': { ...device, verification_url: 'https://presets.example.com/sign-in/device' },
    '/api/v1/sign-in/device/token': { status, key: status === 'approved' ? 'the-new-key' : null },
    '/api/v1/account': {
      ...{ id: 'user_1', email: 'ada@example.com', first_name: 'Ada', last_name: '', organization: null },
      workspaces: [],
      credential: { kind: 'management', label: 'sk-pst-v1-ab1…9f2', scope: 'write', expires_at: null },
    },
  };
  return ({ url = '' }, response) => response.end(JSON.stringify({ data: responses[url] }));
}

/** A command that must not run: it would leave a file behind. */
function forbiddenBrowser(folder: string) {
  const program = join(folder, 'xdg-open');
  writeFileSync(program, '#!/bin/sh\ntouch "$0.opened"\n', { mode: 0o700 });
  return {
    environment: { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':0' },
    wasOpened: () => existsSync(`${program}.opened`),
  };
}

describe('presetd login as a process', () => {
  it('login without a terminal opens no browser and saves a key that other commands use', async () => {
    const server = await startStubServer(signInServer('approved'));
    const { path: folder } = createWorkingDirectory();
    const { environment, wasOpened } = forbiddenBrowser(folder);
    const result = await spawnCommand(['login', server.url, '--profile', 'work'], folder, environment);
    expect([result.code, result.stderr]).toEqual([
      0,
      `To sign in to ${server.url}, open this page and enter the code TEST-CODE:

  https://presets.example.com/sign-in/device

Waiting for approval.
Signed in to ${server.url}. Commands now use profile work.
`,
    ]);
    expect(wasOpened()).toBe(false);
    const again = await spawnCommand(['whoami'], folder);
    expect([again.code, again.stdout]).toEqual([0, result.stdout]);
    expect(result.stdout).toMatch(/^ada@example\.com\n(.*\n)*from +profile work\n/);
  });

  it('Ctrl+C ends a login at once, without a profile', async () => {
    const server = await startStubServer(signInServer('pending'));
    const { path: folder } = createWorkingDirectory();
    const { process: child, output, finished } = startCommand(['login', server.url], folder, {});
    await expect.poll(() => output.stderr).toContain('Waiting for approval.\n');
    child.kill('SIGINT');
    expect((await finished).stdout).toBe('');
    expect(child.signalCode).toBe('SIGINT');
    expect(output.stderr.split('\n').slice(-2)).toEqual(['Waiting for approval.', '']);
    const file = join(folder, '.config', 'presetd', 'profiles.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ current: null, profiles: [] });
  });
});
