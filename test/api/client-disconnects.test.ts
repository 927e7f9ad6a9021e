import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startTestServer } from '../support/server.ts';

it('logs a client that leaves before the file it asked for is opened as one who left, not as a defect', async () => {
  const server = await startTestServer('sqlite');
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.resume().on('error', () => undefined);
  await once(socket, 'connect');
  // Nobody takes the second, so that the connection goes while the first is on its way.
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.write('CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'close');
  await expect.poll(() => server.log.join('')).toContain('"status":499');
  // By the time that others have got the file, it has been let go of for the one who left.
  for (let others = 0; others < 3; others += 1) expect((await server.get('/')).status).toBe(200);
  await server.stop();
  expect(server.log.filter((line) => /^\{"level":[56]0/.test(line))).toEqual([]);
});
