import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import type { Authenticator } from '../core/organization/authenticate.ts';
import type { PresetReader } from '../core/presets/read-presets.ts';
import { createFastPath } from './fast-path.ts';
import { FailedAuthentications } from './overload/failed-authentications.ts';
import { RateLimit } from './overload/rate-limit.ts';
import type { CallServer } from './serve-call.ts';

it('the keys of a blocked address are not looked up', () => {
  const [blocked, other] = ['192.0.2.1', '192.0.2.2'];
  const failures = new FailedAuthentications({ limit: 1 });
  failures.increment(blocked);
  const lookUps: string[] = [];
  let address = blocked;
  const authenticate: Authenticator['authenticate'] = () => {
    lookUps.push(address);
    throw new Error('unknown key');
  };
  const takeFastPath = createFastPath({
    authenticator: { authenticate } as Authenticator,
    address: { of: () => address, trustProxy: false },
    failures,
    rateLimit: new RateLimit(0),
    presetReader: {} as PresetReader,
    calls: {} as CallServer,
    logRequest: () => {},
    bodyBytesMax: 0,
    isClosing: () => false,
  });
  const headers = { authorization: 'Bearer guess' };
  const request = { method: 'GET', url: '/api/v1/presets/any', headers, socket: {} } as IncomingMessage;
  const fallBack = vi.fn();
  const send = () => takeFastPath(request, {} as ServerResponse, fallBack);
  send();
  expect(lookUps).toEqual([]);
  address = other;
  send();
  expect(lookUps).toEqual([other]);
  expect(fallBack).toHaveBeenCalledTimes(2);
});
