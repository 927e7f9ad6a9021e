import { spawn } from 'node:child_process';
import type { Environment } from '../config/settings.ts';

/**
 * Opens a page in the default browser. The URL is an argument of the program and passes no shell,
 * because a server chose it. Failures are ignored: the page is also printed.
 */
export function openInBrowser(url: string, platform = process.platform): void {
  const [program, args] = browserCommand(url, platform);
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

export function browserCommand(url: string, platform: NodeJS.Platform): [program: string, args: string[]] {
  if (platform === 'darwin') return ['open', [url]];
  // Not "start", which is a part of the shell.
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}

/**
 * Whether a browser would open in front of the person: not in scripts, over SSH or without a
 * display. Only for HTTP: other schemes would start other programs.
 */
export function canOpenInBrowser(
  url: string,
  isTerminal: boolean,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (!isTerminal || environment.SSH_CONNECTION) return false;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return false;
  const hasDisplay = Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
  return hasDisplay || platform === 'darwin' || platform === 'win32';
}
