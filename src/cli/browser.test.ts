import { describe, expect, it } from 'vitest';
import { browserCommand, canOpenInBrowser } from './browser.ts';

const page = 'https://presets.example.com/sign-in/device?a=1&b=$(id)';

describe('browserCommand', () => {
  it.each([
    ['linux', 'xdg-open', [page]],
    ['freebsd', 'xdg-open', [page]],
    ['darwin', 'open', [page]],
    ['win32', 'rundll32', ['url.dll,FileProtocolHandler', page]],
  ] as const)('on %s the URL is one argument of %s', (platform, program, args) => {
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
  ] as const)('on a terminal of %s with %j: %s', (platform, environment, expected) => {
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
