import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { overloaded } from '../core/errors.ts';
import type { HeldBytes } from './held-bytes.ts';

/** Parts can be long, and nobody may ever take them. */
const partsAhead = 1;

/** Answers with parts as they come. What goes wrong before the first is still told as an error. */
export async function sendStream(
  reply: FastifyReply,
  type: string,
  parts: AsyncGenerator<string>,
): Promise<FastifyReply> {
  const { heldBytes } = reply.server;
  const first = await parts.next();
  // Others may have begun in the same moment.
  if (heldBytes.areTooMany) throw overloaded();
  reply.type(type);
  if (reply.request.method === 'HEAD') {
    // Nobody will take the parts, so none are made; what GET would say of itself stays the same.
    await parts.return(undefined);
    return reply.send(Readable.from([]));
  }
  return reply.send(Readable.from(counted(first, parts, heldBytes), { highWaterMark: partsAhead }));
}

async function* counted(
  first: IteratorResult<string>,
  parts: AsyncGenerator<string>,
  heldBytes: HeldBytes,
): AsyncGenerator<string> {
  for (let part = first; !part.done; part = await parts.next()) {
    heldBytes.add(part.value.length);
    yield part.value;
  }
}
