import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { oneLine } from '../../client/printable.ts';
import { PresetdError } from '../../core/errors.ts';
import { CommandError } from '../command-error.ts';
import { fileError } from '../file-error.ts';

export interface RequestFile {
  /** The path, or "Standard input", to begin a sentence with. */
  readonly name: string;
  /** The file unchanged. This is what is sent: serializing `body` again could alter numbers. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** The parsed body, to detect its dialect. */
  readonly body: object;
}

/** Reads a JSON object from a file, or from standard input if the path is "-". */
export async function readRequestFile(path: string): Promise<RequestFile> {
  const isStdin = path === '-';
  const bytes = await (isStdin ? buffer(process.stdin) : readFile(path)).catch((error: unknown) => {
    throw fileError(`Cannot read ${isStdin ? 'standard input' : path}`, error);
  });
  const name = isStdin ? 'Standard input' : path;
  return { name, bytes, body: await parseBody(name, bytes) };
}

async function parseBody(name: string, bytes: Buffer): Promise<object> {
  const body = await parseJson(name, bytes);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new CommandError(`${name} must contain a JSON object.`);
}

/**
 * Uses the server's own strict parser, so that its errors name the file instead of "the request
 * body".
 */
async function parseJson(name: string, bytes: Buffer): Promise<unknown> {
  if (/^\s*$/.test(bytes.toString('utf8'))) throw new CommandError(`${name} is empty.`);
  // Imported here because only this command needs the parser.
  const { parseJsonBody } = await import('../../http/body/json-body.ts');
  try {
    return parseJsonBody(bytes).value;
  } catch (error) {
    if (!(error instanceof PresetdError)) throw error;
    throw new CommandError(oneLine(error.message.replace(/^The request body/, () => name)));
  }
}
