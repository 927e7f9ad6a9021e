import { type AddressInfo, Server } from 'node:net';

/** Loaded into the process of Portkey's gateway before its own code, which is not touched otherwise. */
listenOnLoopback();
makeStreamsPossible();

/** It listens on all addresses and must be told a port. Here it takes a free one of this machine, and tells which. */
function listenOnLoopback(): void {
  const { listen } = Server.prototype;
  Server.prototype.listen = function listenHere(this: Server): Server {
    this.once('listening', () => {
      const { port } = this.address() as AddressInfo;
      console.log(`portkey listens on http://127.0.0.1:${port}`);
    });
    return Reflect.apply(listen, this, [0, '127.0.0.1']);
  };
}

/**
 * With the version of @hono/node-server that npm chooses for it, it answers every stream with 500, because it changes
 * the headers of an answer that cannot be changed (https://github.com/Portkey-AI/gateway/issues/1389). The same answer
 * made anew can; that costs next to nothing beside what follows. Other answers pass as they are.
 */
function makeStreamsPossible(): void {
  const { fetch, Response } = globalThis;
  globalThis.fetch = async (...request) => {
    const answer = await fetch(...request);
    const isStream = answer.headers.get('content-type') === 'text/event-stream';
    return isStream ? new Response(answer.body, answer) : answer;
  };
}
