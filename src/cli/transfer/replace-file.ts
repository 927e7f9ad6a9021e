import { createWriteStream, rmSync } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../command-error.ts';
import { fileError } from '../file-error.ts';
import { onInterrupt } from '../interrupt.ts';

/**
 * Writes a file that is there whole or not at all: under another name beside it, which becomes its own when everything
 * has reached the disk. Whatever goes wrong, what was there before stays.
 */
export async function replaceFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const { target, mode } = await placeOf(path);
  const temporary = `${target}.${process.pid}.partial`;
  const stopListening = onInterrupt(() => rmSync(temporary, { force: true }));
  try {
    await pipeline(content, createWriteStream(temporary, { flags: 'wx', mode, flush: true }));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(`${path} cannot be written`, error);
  } finally {
    stopListening();
  }
}

/**
 * A link stays a link, and who may read it stays so; what is new holds prompts, and is for its owner alone. What is no file,
 * such as /dev/null, must not be replaced by one.
 */
async function placeOf(path: string): Promise<{ target: string; mode: number }> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return { target: path, mode: 0o600 };
  if (!found.isFile()) throw new CommandError(`${path} cannot be written: it is not a file.`);
  return { target: await realpath(path), mode: found.mode };
}
