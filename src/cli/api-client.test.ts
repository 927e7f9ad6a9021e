import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import { httpRequestOf } from '../api/client.ts';
import { createApiClient } from './api-client.ts';

let server: Server;
afterEach(() => server.close());

it('a streamed body can be read after a garbage collection', async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"line":1}\n');
    setTimeout(() => response.end('{"line":2}\n'), 300);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const api = createApiClient({
    url: `http://127.0.0.1:${port}`,
    key: 'sk-test',
    urlSetting: 'PRESETD_URL',
    keySetting: 'PRESETD_API_KEY',
  });
  const chunks = await api.open(httpRequestOf('GET /export'));
  await collectGarbage();
  expect(Buffer.concat(await Array.fromAsync(chunks)).toString()).toBe('{"line":1}\n{"line":2}\n');
});

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < 5; round += 1) {
    collect();
    await delay(10);
  }
}
