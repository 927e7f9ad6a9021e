import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { CommandError } from '../command-error.ts';
import { fileError } from '../file-error.ts';
import { oneLine } from '../printable.ts';

export interface RequestFile {
  /** For messages. */
  readonly name: string;
  /** As they are in the file. */
  readonly bytes: Buffer<ArrayBuffer>;
  readonly body: object;
}

/** Reads a JSON object from a file, or from standard input for "-". */
export async function readRequestFile(path: string): Promise<RequestFile> {
  const name = path === '-' ? 'Standard input' : path;
  const bytes = await (path === '-' ? buffer(process.stdin) : readFile(path)).catch((error: unknown) => {
    throw fileError(`${name} cannot be read`, error);
  });
  return { name, bytes, body: parseBody(name, bytes) };
}

function parseBody(name: string, bytes: Buffer): object {
  const body = parseJson(name, bytes);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new CommandError(`${name} must hold a JSON object.`);
}

function parseJson(name: string, bytes: Buffer): unknown {
  try {
    // Takes a byte order mark away, as the server does.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? oneLine(error.message) : 'it is not UTF-8 text';
    throw new CommandError(`${name} is not JSON: ${reason}.`);
  }
}
