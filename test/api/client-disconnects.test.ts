import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startTestServer } from '../support/server.ts';

it('a client that disconnects before its file is opened is logged as 499, not as an error', async () => {
  const server = await startTestServer('sqlite');
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.resume().on('error', () => undefined);
  await once(socket, 'connect');
  // No handler accepts CONNECT, so Node.js drops the connection while the first request is in
  // flight.
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.write('CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'close');
  await expect.poll(() => server.log.join('')).toContain('"status":499');
  // Once later requests have got the file, the first one has finished with it, too.
  for (let count = 0; count < 3; count += 1) expect((await server.get('/')).status).toBe(200);
  await server.stop();
  expect(server.log.filter((line) => /^\{"level":[56]0/.test(line))).toEqual([]);
});
