import { type AddressInfo, Server } from 'node:net';

/** Loaded into the process of Portkey's gateway before its own code, which stays unmodified. */
listenOnLoopback();
makeStreamHeadersMutable();

/**
 * The gateway listens on all addresses and needs a port. This makes it listen on a free port of the
 * loopback interface and print it.
 */
function listenOnLoopback(): void {
  const { listen } = Server.prototype;
  Server.prototype.listen = function listenOnFreePort(this: Server): Server {
    this.once('listening', () => {
      const { port } = this.address() as AddressInfo;
      console.log(`portkey listens on http://127.0.0.1:${port}`);
    });
    return Reflect.apply(listen, this, [0, '127.0.0.1']);
  };
}

/**
 * With the version of @hono/node-server that npm installs, the gateway fails every stream with 500,
 * because it changes the headers of an immutable response
 * (https://github.com/Portkey-AI/gateway/issues/1389). A copy of the response is mutable, and costs
 * next to nothing compared with the rest. Other responses pass through as they are.
 */
function makeStreamHeadersMutable(): void {
  const { fetch, Response } = globalThis;
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request);
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    return isStream ? new Response(response.body, response) : response;
  };
}
