import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { DeviceCode } from '../api/sign-in.ts';
import { readEnvironment } from '../config/settings.ts';
import { oneLine } from '../core/text/printable.ts';
import type { ApiClient } from './api-client.ts';
import { canOpenInBrowser, openInBrowser } from './browser.ts';
import { CommandError } from './command-error.ts';
import { printStderr } from './ui/output.ts';
import { startProgress } from './ui/progress.ts';

/**
 * Signs in through a browser, on this machine or another one (RFC 8628). The server returns a code,
 * a person who is signed in types and approves it on a page, and the server then returns a key of
 * theirs. Ctrl+C stops waiting; the code then expires on the server.
 */

/** Longer than any code is valid. The server decides when one expires. */
const waitMsMax = 30 * 60_000;
/** A server that restarts meanwhile is back after a few polls. */
const failuresMax = 10;
/** RFC 8628 adds this to the interval if polls are too frequent. */
const slowDownSeconds = 5;

export async function signInWithBrowser(
  url: string,
  api: ApiClient,
  mayOpenBrowser: boolean,
): Promise<string> {
  const code = await startSignIn(api);
  const { user_code, verification_url: page } = code;
  printStderr(
    `To sign in to ${url}, open this page and enter the code ${oneLine(user_code)}:\n\n  ${oneLine(page)}\n`,
  );
  const isTerminal = Boolean(process.stdin.isTTY && process.stderr.isTTY);
  if (mayOpenBrowser && canOpenInBrowser(page, isTerminal, readEnvironment()))
    openInBrowser(new URL(page).href);
  return waitForApproval(api, code);
}

async function startSignIn(api: ApiClient): Promise<DeviceCode> {
  try {
    const body = { client_name: hostname().slice(0, 100) || 'presetd' };
    return (await api.call('POST /sign-in/device', { body })).content.data;
  } catch (error) {
    if (!(error instanceof CommandError) || error.kind !== 'not_found') throw error;
    throw error.restated('This server has no sign-in. Upgrade it, or supply a key with --with-key.');
  }
}

/** `wait` is replaced in tests. */
export async function waitForApproval(
  api: ApiClient,
  { device_code, interval_seconds }: DeviceCode,
  wait: (ms: number) => Promise<unknown> = delay,
): Promise<string> {
  // Bounded: an odd number must neither flood the server nor make the person wait.
  let intervalSeconds = Math.min(Math.max(Number(interval_seconds) || 5, 1), 60);
  let failures = 0;
  const progress = startProgress('Waiting for approval:', ['second', 'seconds']);
  if (!process.stderr.isTTY) printStderr('Waiting for approval.');
  try {
    for (let waitedMs = 0; waitedMs < waitMsMax; waitedMs += intervalSeconds * 1_000) {
      for (let second = 0; second < intervalSeconds; second += 1) {
        await wait(1_000);
        progress.advance(1);
      }
      try {
        const key = await poll(api, device_code);
        if (key !== undefined) return key;
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!isTemporary(error) || failures === failuresMax) throw error;
        if (error.status === 429) intervalSeconds += slowDownSeconds;
      }
    }
  } finally {
    progress.finish();
  }
  throw expiredError();
}

/** Undefined while the code is pending. Throws if it was denied or has expired. */
async function poll(api: ApiClient, device_code: string): Promise<string | undefined> {
  const { content } = await api
    .call('POST /sign-in/device/token', { body: { device_code } })
    .catch((error: unknown) => {
      throw error instanceof CommandError && error.status === 401 ? expiredError() : error;
    });
  const { status, key } = content.data;
  if (status === 'denied')
    throw new CommandError('Sign-in was denied in the browser.', { kind: 'authentication' });
  if (status === 'approved' && key === null) throw expiredError();
  return key ?? undefined;
}

function isTemporary(error: unknown): error is CommandError {
  return error instanceof CommandError && error.kind === 'unavailable';
}

function expiredError(): CommandError {
  return new CommandError('The code has expired. Run "presetd login" again.', { kind: 'authentication' });
}
