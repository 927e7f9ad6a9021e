import { describe, expect, it } from 'vitest';
import { connectionError, NoResponseError, responseError } from './api-errors.ts';

const url = 'https://presets.example.com';
const connection = { url, keySetting: 'PRESETD_API_KEY' };
const failed = (code: string, message = '') =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });

describe('connectionError', () => {
  it.each([
    ['ECONNREFUSED', '', 'the connection was refused', false],
    ['ENOTFOUND', '', 'there is no such host', false],
    ['ECONNRESET', '', 'the connection broke off', true],
    ['UND_ERR_SOCKET', 'other side closed', 'the connection broke off', true],
    ['UND_ERR_HEADERS_TIMEOUT', '', 'no answer within five minutes', true],
    ['ERR_SSL_WRONG_VERSION_NUMBER', '0:SSL', 'it does not speak TLS: try http:// in PRESETD_URL', false],
    ['EPROTO', 'wrong version number', 'it does not speak TLS: try http:// in PRESETD_URL', false],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', '', 'it does not speak TLS: try http:// in PRESETD_URL', false],
    ['EPROTO', 'handshake failure', 'handshake failure', false],
  ])('%s "%s": %s', (code, message, reason, isUnheard) => {
    for (const error of [failed(code, message), new AggregateError([failed(code, message)])]) {
      const told = connectionError(url, error);
      expect(told.message).toBe(
        `The server at ${url} cannot be reached (${reason}): see that it runs and that PRESETD_URL is its address.`,
      );
      expect(told instanceof NoResponseError).toBe(isUnheard);
    }
  });

  it('says how long it waited, and that the request may have arrived', () => {
    const told = connectionError(url, new DOMException('', 'TimeoutError'), 30_000);
    expect(told).toBeInstanceOf(NoResponseError);
    expect(told.message).toContain('(no answer within 30 seconds)');
  });
});

describe('answerError', () => {
  const messageOf = (status: number, body: string) =>
    responseError(connection, new Response(null, { status }), body).message;

  it.each([500, 502, 503, 504])('does not blame the address for the %i of a gateway', (status) => {
    const error = responseError(connection, new Response(null, { status }), '<html>');
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error.message).toBe(
      `The server behind PRESETD_URL (${url}) does not answer right now (status ${status}): see that it runs, and try again.`,
    );
  });

  it.each([
    [500, 'Oops. (request id r\\n1)'],
    [503, 'Oops. (request id r\\n1)'],
    [404, 'Oops.'],
  ])('tells the request id where the fault is with the server: %i', (status, message) => {
    const body = JSON.stringify({ error: { message: 'Oops.', metadata: { request_id: 'r\n1' } } });
    expect(messageOf(status, body)).toBe(message);
  });

  it('names the setting whose key is refused', () => {
    const error = responseError(
      { url, keySetting: 'PRESETD_MANAGEMENT_KEY' },
      new Response(null, { status: 401 }),
      '{"error":{"message":"No."}}',
    );
    expect(error.message).toBe(`The server at ${url} refuses the key in PRESETD_MANAGEMENT_KEY: No.`);
  });

  it('does without a request id', () => {
    expect(messageOf(503, '{"error":{"message":"Busy."}}')).toBe('Busy.');
  });
});
