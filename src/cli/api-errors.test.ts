import { describe, expect, it } from 'vitest';
import { connectionError, NoResponseError, responseError } from './api-errors.ts';

const url = 'https://presets.example.com';
const connection = { url, urlSetting: 'PRESETD_URL', keySetting: 'PRESETD_API_KEY' };
const failed = (code: string, message = '') =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });

describe('connectionError', () => {
  it.each([
    ['ECONNREFUSED', '', 'connection refused', false],
    ['ENOTFOUND', '', 'host not found', false],
    ['ECONNRESET', '', 'the connection was lost', true],
    ['UND_ERR_SOCKET', 'other side closed', 'the connection was lost', true],
    ['UND_ERR_HEADERS_TIMEOUT', '', 'no response within five minutes', true],
    ['ERR_SSL_WRONG_VERSION_NUMBER', '0:SSL', 'it does not use TLS (try http:// in PRESETD_URL)', false],
    ['EPROTO', 'wrong version number', 'it does not use TLS (try http:// in PRESETD_URL)', false],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', '', 'it does not use TLS (try http:// in PRESETD_URL)', false],
    ['EPROTO', 'handshake failure', 'handshake failure', false],
  ])('the connection error %s "%s" is explained as: %s', (code, message, reason, mayHaveArrived) => {
    for (const error of [failed(code, message), new AggregateError([failed(code, message)])]) {
      const result = connectionError(connection, error);
      expect(result.message).toBe(
        `Cannot reach the server at ${url}: ${reason}. Check that it is running and that PRESETD_URL is correct.`,
      );
      expect(result instanceof NoResponseError).toBe(mayHaveArrived);
    }
  });

  it('a timeout states its limit, and that the request may have arrived', () => {
    const error = connectionError(connection, new DOMException('', 'TimeoutError'), 30_000);
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error.message).toContain(': no response within 30 seconds.');
  });
});

describe('responseError', () => {
  const messageOf = (status: number, body: string) =>
    responseError(connection, new Response(null, { status }), body).message;

  it.each([500, 502, 503, 504])('a %i from a proxy means unavailable, not a wrong address', (status) => {
    const error = responseError(connection, new Response(null, { status }), '<html>');
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error.message).toBe(
      `The server at ${url} is unavailable (status ${status}). Check that it is running, then retry.`,
    );
  });

  it.each([
    [500, 'Oops. (request id r\\n1)'],
    [503, 'Oops. (request id r\\n1)'],
    [404, 'Oops.'],
    [403, 'Oops. (key: PRESETD_API_KEY)'],
  ])(
    'a %i response shows its request ID only if it is a server error, and its key if that is forbidden',
    (status, message) => {
      const body = JSON.stringify({ error: { message: 'Oops.', metadata: { request_id: 'r\n1' } } });
      expect(messageOf(status, body)).toBe(message);
    },
  );

  it('a 401 names the setting of the rejected key', () => {
    const error = responseError(
      { ...connection, keySetting: 'PRESETD_MANAGEMENT_KEY' },
      new Response(null, { status: 401 }),
      '{"error":{"message":"No."}}',
    );
    expect(error.message).toBe(`The server at ${url} rejected the key in PRESETD_MANAGEMENT_KEY: No.`);
  });

  it('a 401 for the key of a profile says how to sign in again', () => {
    const error = responseError(
      { ...connection, keySetting: 'profile work', profile: 'work' },
      new Response(null, { status: 401 }),
      '{"error":{"message":"No."}}',
    );
    expect(error.message).toBe(
      `The server at ${url} rejected the key in profile work: No. Sign in again with "presetd login --profile work".`,
    );
  });

  it('a server error without a request ID omits it', () => {
    expect(messageOf(503, '{"error":{"message":"Busy."}}')).toBe('Busy.');
  });
});
