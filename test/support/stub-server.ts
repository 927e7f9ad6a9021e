import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { releaseAfterTest } from './test-scope.ts';

/** A plain HTTP server that ends with its test. */
export interface StubServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server that responds as the test wants, including in ways that presetd never would. */
export async function startStubServer(handler: RequestListener): Promise<StubServer> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: releaseAfterTest(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }),
  };
}
