import { openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CacheGenerations } from '../core/refresh-ahead-cache.ts';

/** Six bytes are used: a counter and the number of the writing process. */
const generationBytes = 8;

/**
 * Presets are hashed to this many slots. Presets in one slot share a generation, so a write to one
 * sometimes makes another reload for nothing.
 */
const presetSlots = 4_096;

/**
 * One slot for all keys: they change rarely, and a change names a key or its owner, whereas caches
 * look keys up by the hash of a secret.
 */
const keySlots = 1;

/**
 * Creates the file that holds the generations of all workers, and returns its descriptor.
 *
 * The supervisor creates it once; workers inherit it open. It is unlinked at once, so it disappears
 * with the last process. Reading a generation takes about a microsecond, and a read sees every
 * earlier write of any process. Unlike messages, it needs no delivery, so no worker waits for a
 * busy or dead one. Throws `WorkerStartError` if none of the folders is writable.
 */
export function openGenerationFile(folders: readonly string[] = ['/dev/shm', tmpdir()]): number {
  const name = `presetd-${process.pid}-${Date.now()}`;
  const descriptor = openFirst(folders.map((folder) => join(folder, name)));
  writeSync(descriptor, Buffer.alloc((presetSlots + keySlots) * generationBytes));
  return descriptor;
}

function openFirst([file = '', ...others]: readonly string[]): number {
  try {
    const descriptor = openSync(file, 'wx+', 0o600);
    unlinkSync(file);
    return descriptor;
  } catch (error) {
    if (others.length > 0) return openFirst(others);
    const reason = error instanceof Error ? error.message : error;
    throw new WorkerStartError(
      `presetd cannot start: cannot create the small file that workers share (set TMPDIR to another folder): ${reason}`,
    );
  }
}

/** The workers cannot start. The message is empty if a worker has already printed the reason. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
}

export interface SharedGenerations {
  readonly presets: CacheGenerations;
  readonly keys: CacheGenerations;
}

/**
 * Opens the shared generations in one process. `writer` must be unique among the processes of the
 * file: it is part of every generation that this process writes, so that two processes never write
 * the same.
 */
export function shareGenerations(descriptor: number, writer: number): SharedGenerations {
  const bytes = Buffer.alloc(generationBytes);
  let count = 0;
  const next = () => {
    count += 1;
    bytes.writeUInt32LE(count >>> 0, 0);
    bytes.writeUInt16LE(writer & 0xffff, 4);
    return bytes;
  };
  const generationsAt = (first: number, slots: number): CacheGenerations => {
    const offsetOf = (key: string) => (first + (slots === 1 ? 0 : slotOf(key, slots))) * generationBytes;
    return {
      of(key) {
        readSync(descriptor, bytes, 0, generationBytes, offsetOf(key));
        return bytes.readUIntLE(0, 6);
      },
      advance(key) {
        writeSync(descriptor, next(), 0, generationBytes, offsetOf(key));
      },
      advanceAll() {
        const all = Buffer.alloc(slots * generationBytes, next());
        writeSync(descriptor, all, 0, all.length, first * generationBytes);
      },
    };
  };
  return { presets: generationsAt(0, presetSlots), keys: generationsAt(presetSlots, keySlots) };
}

function slotOf(key: string, slots: number): number {
  let hash = 0;
  for (let index = 0; index < key.length; index += 1)
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  return (hash >>> 0) % slots;
}
