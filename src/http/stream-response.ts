import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { overloaded } from '../core/errors.ts';
import { authenticate } from './authentication.ts';

/** Parts can be long, and nobody may ever take them. */
const partsAhead = 1;

/** A client may take its time; what its key may do can be another thing by then. */
const reauthenticateAfterMs = 100;

/** Answers with parts as they come. What goes wrong before the first is still told as an error; after it, the answer has no end. */
export async function streamResponse(
  reply: FastifyReply,
  type: string,
  parts: AsyncGenerator<string>,
): Promise<FastifyReply> {
  const first = await parts.next();
  // Others may have begun in the same moment.
  if (reply.server.connectionMemory.isOverLimit) {
    await parts.return(undefined);
    throw overloaded();
  }
  reply.type(type);
  if (reply.request.method === 'HEAD') {
    // Nobody will take the parts, so none are made; what GET would say of itself stays the same.
    await parts.return(undefined);
    return reply.send(Readable.from([]));
  }
  return reply.send(Readable.from(checked(first, parts, reply), { highWaterMark: partsAhead }));
}

async function* checked(
  first: IteratorResult<string>,
  parts: AsyncGenerator<string>,
  { request, server }: FastifyReply,
): AsyncGenerator<string> {
  let askedAt = performance.now();
  try {
    for (let part = first; !part.done; part = await parts.next()) {
      if (performance.now() - askedAt > reauthenticateAfterMs) {
        await authenticate(request);
        askedAt = performance.now();
      }
      server.connectionMemory.addPending(part.value.length);
      yield part.value;
    }
  } finally {
    await parts.return(undefined);
  }
}
