import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startStubServer } from '../../test/support/stub-server.ts';
import type { DeviceCode } from '../api/sign-in.ts';
import { createApiClient } from './api-client.ts';
import { waitForApproval } from './device-sign-in.ts';

const code = { device_code: 'secret', interval_seconds: 3 } as DeviceCode;
const pending = { status: 200, body: { data: { status: 'pending', key: null } } };
const approved = { status: 200, body: { data: { status: 'approved', key: 'the-key' } } };
const denied = { status: 200, body: { data: { status: 'denied', key: null } } };
const collected = { status: 200, body: { data: { status: 'approved', key: null } } };
const failure = (status: number) => ({ status, body: { error: { message: 'No.' } } });

afterEach(() => {
  vi.restoreAllMocks();
});

/** The seconds waited before each poll, and the key or the error. */
async function poll(responses: readonly { status: number; body: object }[], interval: unknown = 3) {
  vi.spyOn(console, 'error').mockReturnValue();
  const waits: number[] = [];
  let waited = 0;
  let count = 0;
  const respond: RequestListener = (_request, response) => {
    waits.push(waited);
    waited = 0;
    const { status, body } = responses[Math.min(count, responses.length - 1)] ?? pending;
    count += 1;
    response.writeHead(status).end(JSON.stringify(body));
  };
  const server = await startStubServer(respond);
  const api = createApiClient({ url: server.url, urlSetting: 'the URL', key: undefined, keySetting: '' });
  const wait = async () => {
    waited += 1;
  };
  const outcome = await waitForApproval(api, { ...code, interval_seconds: interval as number }, wait).catch(
    (error: Error) => error.message,
  );
  await server.stop();
  return { waits, outcome };
}

describe('waitForApproval', () => {
  it.each([
    ['an approval', [approved], [3], 'the-key'],
    ['an approval after a while', [pending, pending, approved], [3, 3, 3], 'the-key'],
    ['a denial', [pending, denied], [3, 3], 'Sign-in was denied in the browser.'],
    ['an expired code', [pending, failure(401)], [3, 3], 'The code has expired. Run "presetd login" again.'],
    [
      'a key that was already collected',
      [collected],
      [3],
      'The code has expired. Run "presetd login" again.',
    ],
    ['a restart of the server', [failure(503), pending, approved], [3, 3, 3], 'the-key'],
    ['too many polls', [failure(429), failure(429), approved], [3, 8, 13], 'the-key'],
    ['a rejected request', [failure(400)], [3], 'No.'],
  ])('waiting ends after %s', async (_, responses, waits, outcome) => {
    expect(await poll(responses)).toEqual({ waits, outcome });
  });

  it('a server that stays down ends the wait', async () => {
    const { waits, outcome } = await poll([failure(503)]);
    expect(waits).toHaveLength(10);
    expect(outcome).toBe('No.');
  });

  it('a server that restarts again later does not end the wait', async () => {
    const restart = Array.from({ length: 9 }, () => failure(503));
    expect((await poll([...restart, pending, ...restart, approved])).outcome).toBe('the-key');
  });

  it('a server that never decides ends the wait after half an hour', async () => {
    const { waits, outcome } = await poll([pending], 60);
    expect(waits).toHaveLength(30);
    expect(outcome).toBe('The code has expired. Run "presetd login" again.');
  });

  it.each([
    [0, 5],
    [-1, 1],
    [1e9, 60],
    ['soon', 5],
    [null, 5],
  ])('an interval of %j seconds becomes %i', async (interval, seconds) => {
    expect((await poll([approved], interval)).waits).toEqual([seconds]);
  });
});
