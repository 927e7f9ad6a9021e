import { createWriteStream, rmSync } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../command-error.ts';
import { fileError } from '../file-error.ts';
import { onInterrupt } from '../interrupt.ts';

/**
 * Replaces a file atomically. The content goes to a temporary file in the same directory, which is
 * renamed once it is on disk. If anything fails or a signal arrives, the previous file stays as it
 * was and the temporary one is removed.
 */
export async function replaceFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const { target, mode } = await resolveTarget(path);
  const temporary = `${target}.${process.pid}.partial`;
  const removeListeners = onInterrupt(() => rmSync(temporary, { force: true }));
  try {
    await pipeline(content, createWriteStream(temporary, { flags: 'wx', mode, flush: true }));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(`Cannot write ${path}`, error);
  } finally {
    removeListeners();
  }
}

/**
 * Follows a symbolic link, so that its target is replaced and not the link, and keeps the mode of
 * an existing file. A new file is readable only by its owner, because it contains prompts. A device
 * such as /dev/null is rejected: renaming would replace it by a file.
 */
async function resolveTarget(path: string): Promise<{ target: string; mode: number }> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return { target: path, mode: 0o600 };
  if (!found.isFile()) throw new CommandError(`Cannot write ${path}: it is not a regular file.`);
  return { target: await realpath(path), mode: found.mode };
}
