import { openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CacheGenerations } from '../core/cache-generations.ts';
import { WorkerStartError } from './worker-start-error.ts';

const generationBytes = 8;

/** Presets that share a slot share their generation, so that now and then one is asked for again without need. */
const presetSlots = 4_096;

/** One for all keys: they change rarely, and nobody knows by the hash of a secret whose it is before it was looked up. */
const keySlots = 1;

/**
 * The generations of all workers are in one file without a name, which they inherit open: to read one takes a microsecond, and
 * what one process wrote the next read of any other sees. No message has to arrive, and nobody waits for a worker that
 * is busy or dead.
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
      `presetd cannot start: workers share a small file, which cannot be made (set TMPDIR to another folder): ${reason}`,
    );
  }
}

export interface SharedGenerations {
  readonly presets: CacheGenerations;
  readonly keys: CacheGenerations;
}

/** What a process writes begins with its number, which no other of the same file may have. */
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
    const placeOf = (key: string) => (first + (slots === 1 ? 0 : slotOf(key, slots))) * generationBytes;
    return {
      of(key) {
        readSync(descriptor, bytes, 0, generationBytes, placeOf(key));
        return bytes.readUIntLE(0, 6);
      },
      advance(key) {
        writeSync(descriptor, next(), 0, generationBytes, placeOf(key));
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
