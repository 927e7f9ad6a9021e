import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Parts can be long; few of them are made before the client takes them. */
const partsAhead = 4;

/** Answers with parts as they come. What goes wrong before the first is still told as an error. */
export async function sendStream(
  reply: FastifyReply,
  type: string,
  parts: AsyncGenerator<string>,
): Promise<FastifyReply> {
  const first = await parts.next();
  reply.type(type);
  if (reply.request.method === 'HEAD') {
    // Nobody will take the parts, so none are made; what GET would say of itself stays the same.
    await parts.return(undefined);
    return reply.send(Readable.from([]));
  }
  return reply.send(Readable.from(whole(first, parts), { highWaterMark: partsAhead }));
}

async function* whole(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (!first.done) yield first.value;
  yield* rest;
}
