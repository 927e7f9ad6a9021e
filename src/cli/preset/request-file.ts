import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { oneLine } from '../../client/printable.ts';
import { PresetdError } from '../../core/errors.ts';
import { CommandError } from '../command-error.ts';
import { fileError } from '../file-error.ts';

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
  return { name, bytes, body: await parseBody(name, bytes) };
}

async function parseBody(name: string, bytes: Buffer): Promise<object> {
  const body = await parseJson(name, bytes);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new CommandError(`${name} must hold a JSON object.`);
}

/** As strictly as the server, so that what it would refuse is told by the name of the file. */
async function parseJson(name: string, bytes: Buffer): Promise<unknown> {
  if (/^\s*$/.test(bytes.toString('utf8'))) throw new CommandError(`${name} is empty.`);
  // The other commands do without its parser.
  const { parseJsonBody } = await import('../../http/json-body.ts');
  try {
    return parseJsonBody(bytes).value;
  } catch (error) {
    if (!(error instanceof PresetdError)) throw error;
    throw new CommandError(oneLine(error.message.replace(/^The request body/, () => name)));
  }
}
