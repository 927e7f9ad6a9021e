import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { canReusePort, reservePort } from './listen.ts';

const host = '127.0.0.1';

describe('reservePort', () => {
  it.runIf(canReusePort)(
    'a reserved port cannot be reserved again until it is released, even if nothing listens yet',
    async () => {
      const reserved = await reservePort(host, 0);
      await expect(reservePort(host, reserved.port)).rejects.toMatchObject({
        message: `listen EADDRINUSE: address already in use ${host}:${reserved.port}`,
        syscall: 'listen',
      });
      reserved.release();
      const again = await reservePort(host, reserved.port);
      expect(again.port).toBe(reserved.port);
      again.release();
    },
  );

  it('a port in use is rejected, and not locked', async () => {
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
