import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RecordedRequest {
  /** As requested, including the query string. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface RecordingUpstream {
  readonly url: string;
  /** Lets a client send one request and returns what arrived. */
  record(send: () => PromiseLike<unknown>): Promise<RecordedRequest>;
  stop(): Promise<void>;
}

/** Rejects every request with a 422: only what clients send matters. */
export async function startRecordingUpstream(): Promise<RecordingUpstream> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', bytes: await buffer(request) });
    response.writeHead(rejectionStatus, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"recorded"}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async record(send) {
      await expectRejection(send);
      const [request, ...others] = requests.splice(0);
      if (request === undefined || others.length > 0)
        throw new Error('the client did not send exactly one request');
      return request;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const rejectionStatus = 422;

async function expectRejection(send: () => PromiseLike<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === rejectionStatus) return;
    throw error;
  }
  throw new Error('the client did not throw');
}
