import fastify from 'fastify';
import { expect, it } from 'vitest';
import { createClientAddress } from './client-address.ts';
import { isOwnOrigin, ownOrigin } from './own-origin.ts';

const host = 'presets.example.com';
const trusted = ['loopback'];
const publicUrl = new URL('https://public.example.com');

/** The server's verdict on a request with these headers from 127.0.0.1. */
async function judge(
  headers: Readonly<Record<string, string>>,
  { proxies = [], url }: { readonly proxies?: readonly string[]; readonly url?: URL } = {},
): Promise<{ readonly own: string; readonly isOwn: boolean }> {
  const app = fastify({ trustProxy: createClientAddress(proxies).trustProxy });
  app.get('/', (request) => ({
    own: ownOrigin(request, url),
    isOwn: isOwnOrigin(request.headers.origin, request, url),
  }));
  return (await app.inject({ url: '/', headers: { host, ...headers } })).json();
}

const http = `http://${host}`;
const https = `https://${host}`;
const viaTls = { 'x-forwarded-proto': 'https' };

it.each<[origin: string | undefined, isOwn: boolean]>([
  [http, true],
  [https, false],
  [`${http}:80`, true],
  [`${http}:8080`, false],
  ['http://example.com', false],
  [`http://${host}.evil.com`, false],
  ['null', false],
  ['file:///tmp', false],
  ['', false],
  ['presets.example.com', false],
  [undefined, false],
])('the Origin %s of a request over HTTP is our own: %s', async (origin, isOwn) => {
  expect((await judge(origin === undefined ? {} : { origin })).isOwn).toBe(isOwn);
});

it.each<[origin: string, isOwn: boolean]>([
  [https, true],
  [`${https}:443`, true],
  [http, false],
])(
  'the Origin %s of a request that a trusted proxy received over TLS is our own: %s',
  async (origin, isOwn) => {
    expect((await judge({ origin, ...viaTls }, { proxies: trusted })).isOwn).toBe(isOwn);
  },
);

it('a proxy that is not trusted cannot say that a request came over TLS', async () => {
  for (const proxies of [[], ['192.0.2.1']]) {
    expect(await judge({ origin: https, ...viaTls }, { proxies })).toEqual({ own: http, isOwn: false });
    expect((await judge({ origin: http, ...viaTls }, { proxies })).isOwn).toBe(true);
  }
});

it('the host that a trusted proxy received is our own, with its default port or without', async () => {
  const headers = { ...viaTls, host: '10.0.0.11:7778', origin: https };
  for (const forwarded of [host, `${host}:443`]) {
    const { isOwn } = await judge({ ...headers, 'x-forwarded-host': forwarded }, { proxies: trusted });
    expect(isOwn).toBe(true);
  }
  expect((await judge({ ...headers, 'x-forwarded-host': host })).isOwn).toBe(false);
});

it('only the public URL is our own if it is set, whatever host and proxies say', async () => {
  const options = { proxies: trusted, url: publicUrl };
  for (const [origin, isOwn] of [
    ['https://public.example.com', true],
    ['http://public.example.com', false],
    [https, false],
    [http, false],
  ] as const)
    expect(await judge({ origin, ...viaTls }, options)).toEqual({ own: publicUrl.origin, isOwn });
});

it('no Origin is our own if the host of the request is not one', async () => {
  for (const broken of ['', 'a b', ':::'])
    expect((await judge({ host: broken, origin: 'null' })).isOwn).toBe(false);
});
