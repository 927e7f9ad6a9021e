import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { canReusePort, reservePort } from './listen.ts';

const host = '127.0.0.1';

describe('a port that is held', () => {
  it.runIf(canReusePort)("is nobody else's, though nobody listens yet, until it is released", async () => {
    const held = await reservePort(host, 0);
    await expect(reservePort(host, held.port)).rejects.toMatchObject({
      message: `listen EADDRINUSE: address already in use ${host}:${held.port}`,
      syscall: 'listen',
    });
    held.release();
    const again = await reservePort(host, held.port);
    expect(again.port).toBe(held.port);
    again.release();
  });

  it('is one that nobody listens at, and is not held in vain', async () => {
    const server = createServer().listen({ host, port: 0 });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (let count = 0; count < 2; count += 1)
      await expect(reservePort(host, port)).rejects.toMatchObject({
        message: expect.stringMatching(/EADDRINUSE.*:\d/),
      });
    server.close();
    await once(server, 'close');
    (await reservePort(host, port)).release();
  });
});
