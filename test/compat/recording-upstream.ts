import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RecordedRequest {
  /** With the query, as the client asked for it. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface RecordingUpstream {
  readonly url: string;
  /** Lets a client send one request and gives back what came over the wire. */
  record(send: () => PromiseLike<unknown>): Promise<RecordedRequest>;
  stop(): Promise<void>;
}

/** Refuses everything: a client has sent all we want to know before it reads the answer, whatever it hoped for. */
export async function startRecordingUpstream(): Promise<RecordingUpstream> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', bytes: await buffer(request) });
    response.writeHead(refusalStatus, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"recorded"}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async record(send) {
      await expectRefusal(send);
      const [request, ...others] = requests.splice(0);
      if (request === undefined || others.length > 0) throw new Error('the client did not send one request');
      return request;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const refusalStatus = 422;

async function expectRefusal(send: () => PromiseLike<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === refusalStatus) return;
    throw error;
  }
  throw new Error('the client took a refusal for an answer');
}
