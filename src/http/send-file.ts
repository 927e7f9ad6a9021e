import { type FileHandle, open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag, setEtag } from './protocol/conditional.ts';

/** The media types of the dashboard's files. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Compressed copies that lie next to a file, best first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * Sends a file, or its compressed copy if the client accepts one. The name must not come from the
 * client unless it is known to have no path. Rejects with ENOENT if there is no such file.
 */
export async function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  folder: string,
  name: string,
): Promise<FastifyReply> {
  const file = join(folder, name);
  const { handle, encoding } = await openBest(file, String(headers['accept-encoding'] ?? ''));
  const { size, mtimeMs } = await handle.stat();
  const tag = `${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}`;
  setEtag(reply, tag);
  reply.header('vary', 'accept-encoding');
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  if (matchesEtag(headers['if-none-match'], tag)) {
    await handle.close();
    return reply.code(304).send();
  }
  reply.header('content-length', size).type(mediaTypes[extname(name)] ?? 'application/octet-stream');
  return reply.send(handle.createReadStream());
}

async function openBest(
  file: string,
  accepted: string,
): Promise<{ readonly handle: FileHandle; readonly encoding?: string }> {
  const names = accepted.split(',').map((part) => part.split(';', 1)[0]?.trim());
  for (const [encoding, suffix] of encodings) {
    const handle = names.includes(encoding) ? await open(file + suffix).catch(() => undefined) : undefined;
    if (handle !== undefined) return { handle, encoding };
  }
  return { handle: await open(file) };
}
