import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { overloaded } from '../../core/errors.ts';
import { authenticate, reauthenticateAfterMs } from '../authentication.ts';

/** One chunk is buffered ahead: chunks can be large, and the client may never read them. */
const chunksAhead = 1;

/**
 * Streams chunks as they are produced. An error before the first chunk becomes an ordinary error
 * response. After it the status is already sent, so the response is cut off without its end, which
 * every client recognizes as incomplete. The generator is always closed, also if the client
 * disconnects.
 */
export async function streamResponse(
  reply: FastifyReply,
  type: string,
  chunks: AsyncGenerator<string>,
): Promise<FastifyReply> {
  const first = await chunks.next();
  // Checked again here: many streams may have started while the first chunk was being read.
  if (reply.server.connectionMemory.isOverLimit) {
    await chunks.return(undefined);
    throw overloaded();
  }
  reply.type(type);
  if (reply.request.method === 'HEAD') {
    // The headers are those of GET; the chunks would be discarded, so none are produced.
    await chunks.return(undefined);
    return reply.send(Readable.from([]));
  }
  return reply.send(Readable.from(authorizedChunks(first, chunks, reply), { highWaterMark: chunksAhead }));
}

/** Passes chunks on for as long as the key stays valid, and counts them as connection memory. */
async function* authorizedChunks(
  first: IteratorResult<string>,
  chunks: AsyncGenerator<string>,
  { request, server }: FastifyReply,
): AsyncGenerator<string> {
  let authenticatedAt = performance.now();
  try {
    for (let chunk = first; !chunk.done; chunk = await chunks.next()) {
      if (performance.now() - authenticatedAt > reauthenticateAfterMs) {
        await authenticate(request);
        authenticatedAt = performance.now();
      }
      server.connectionMemory.addPending(chunk.value.length);
      yield chunk.value;
    }
  } finally {
    await chunks.return(undefined);
  }
}
