import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { PresetdError } from '../core/errors.ts';
import { oneLine } from '../core/text/printable.ts';
import { CommandError, fileError } from './command-error.ts';

export interface JsonFile {
  /** The path, or "Standard input", to begin a sentence with. */
  readonly name: string;
  /** The file unchanged: serializing `value` again could alter white space. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** The parsed content, with exact numbers. */
  readonly value: unknown;
}

/**
 * Reads JSON from a file, or from standard input if the path is "-". `notJsonAdvice` follows the
 * error for a file that is not JSON.
 */
export async function readJsonFile(path: string, notJsonAdvice = ''): Promise<JsonFile> {
  const isStdin = path === '-';
  const bytes = await (isStdin ? buffer(process.stdin) : readFile(path)).catch((error: unknown) => {
    throw fileError(`Cannot read ${isStdin ? 'standard input' : path}`, error);
  });
  const name = isStdin ? 'Standard input' : path;
  return { name, bytes, value: await parse(name, bytes, notJsonAdvice) };
}

/**
 * Uses the server's own strict parser, so that its errors name the file instead of "the request
 * body".
 */
async function parse(name: string, bytes: Buffer, notJsonAdvice: string): Promise<unknown> {
  if (/^\s*$/.test(bytes.toString('utf8'))) throw new CommandError(`${name} is empty.`);
  // Imported here because few commands need the parser.
  const { parseJsonBody } = await import('../http/body/json-body.ts');
  try {
    return parseJsonBody(bytes).exactValue;
  } catch (error) {
    if (!(error instanceof PresetdError)) throw error;
    const message = oneLine(error.message.replace(/^The request body/, () => name));
    throw new CommandError(`${message} ${notJsonAdvice}`.trimEnd());
  }
}
