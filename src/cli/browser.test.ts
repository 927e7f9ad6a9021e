import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { browserCommand, canOpenInBrowser, openInBrowser } from './browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'presetd-browser-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

const page = 'https://presets.example.com/sign-in/device?a=1&b=$(id)';

describe('browserCommand', () => {
  it.each([
    ['linux', 'xdg-open', [page]],
    ['freebsd', 'xdg-open', [page]],
    ['darwin', 'open', [page]],
    ['win32', 'rundll32', ['url.dll,FileProtocolHandler', page]],
  ] as const)('the URL on %s is one argument of %s', (platform, program, args) => {
    expect(browserCommand(page, platform)).toEqual([program, args]);
  });
});

describe('canOpenInBrowser', () => {
  it.each([
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['linux', {}, false],
    ['linux', { DISPLAY: '' }, false],
    ['linux', { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '10.0.0.1 22' }, false],
    ['darwin', {}, true],
    ['darwin', { SSH_CONNECTION: '10.0.0.1 22' }, false],
    ['win32', {}, true],
  ] as const)('a browser on %s with %j can be opened: %s', (platform, environment, expected) => {
    expect(canOpenInBrowser(page, true, environment, platform)).toBe(expected);
  });

  it('a script opens no browser', () => {
    expect(canOpenInBrowser(page, false, { DISPLAY: ':0' }, 'linux')).toBe(false);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', '--version', 'https://', ''])(
    'a server cannot make us open %j',
    (url) => {
      expect(canOpenInBrowser(url, true, { DISPLAY: ':0' }, 'linux')).toBe(false);
    },
  );
});

describe('openInBrowser', () => {
  it('the program receives the URL unchanged', async () => {
    const program = '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.arguments"\n';
    writeFileSync(join(folder, 'xdg-open'), program, { mode: 0o700 });
    vi.stubEnv('PATH', folder);
    openInBrowser(page, 'linux');
    const written = () => readFileSync(join(folder, 'xdg-open.arguments'), 'utf8');
    await expect.poll(() => written()).toBe(`${page}\n`);
  });

  it('a missing program is not an error', async () => {
    vi.stubEnv('PATH', join(folder, 'empty'));
    openInBrowser(page, 'linux');
    // An error event without a listener would end the process by now.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
