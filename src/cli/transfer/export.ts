import { rmSync } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { httpRequestOf } from '../../api/client.ts';
import { type ApiOptions, apiCommand, connect } from '../api-command.ts';
import { CommandError, fileError } from '../command-error.ts';
import { onInterrupt } from '../interrupt.ts';
import { printableJson, printStderr } from '../ui/output.ts';
import { type Progress, startProgress } from '../ui/progress.ts';
import { describeCounts } from '../ui/text.ts';
import { ExportParser } from './export-parser.ts';

/** The output is the response body byte for byte; the summary goes to standard error. */
export function exportCommand(): Command {
  return apiCommand('export')
    .option('--output <file>', 'File to write, or - for standard output (default: -)')
    .option('--no-drafts', 'Omit your own drafts, for example before sharing the file')
    .action(exportPresets);
}

interface ExportOptions extends ApiOptions {
  readonly output?: string;
  readonly drafts: boolean;
}

async function exportPresets(options: ExportOptions): Promise<void> {
  const query = options.drafts ? {} : { drafts: false };
  const body = await connect(options).open(httpRequestOf('GET /export', { query }));
  const parser = new ExportParser('The export');
  const file = options.output === '-' ? undefined : options.output;
  const isOnTerminal = file === undefined && process.stdout.isTTY;
  // A bar would be drawn between the lines of the export.
  const progress = startProgress('Exporting', ['preset', 'presets'], isOnTerminal);
  try {
    const content = verified(body, parser, progress);
    if (file !== undefined) await replaceFile(file, content);
    else await pipeline(isOnTerminal ? printableJson(content) : content, process.stdout, { end: false });
  } finally {
    progress.finish();
  }
  printStderr(`Exported ${describeCounts(parser)}.`);
}

/** Passes the bytes through and throws at the end if the export is incomplete. */
async function* verified(
  body: AsyncIterable<Uint8Array>,
  parser: ExportParser,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    const before = parser.presets;
    for (const { content } of parser.push(chunk))
      if (content.type === 'export') progress.expect(content.presets);
    progress.advance(parser.presets - before);
    yield chunk;
  }
  parser.finish();
}

/**
 * Replaces a file atomically. The content goes to a temporary file in the same directory, which is
 * renamed once it is on disk. If anything fails or a signal arrives, the previous file stays as it
 * was and the temporary one is removed.
 */
async function replaceFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const { target, mode } = await resolveTarget(path);
  const temporary = `${target}.${process.pid}.partial`;
  const removeListeners = onInterrupt(() => rmSync(temporary, { force: true }));
  try {
    // Opened before anything can fail, so that it exists when it is removed.
    const file = await open(temporary, 'wx', mode);
    await pipeline(content, file.createWriteStream({ flush: true }));
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
 * such as /dev/null is rejected: renaming would replace it with a file.
 */
async function resolveTarget(path: string): Promise<{ target: string; mode: number }> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return { target: path, mode: 0o600 };
  if (!found.isFile()) throw new CommandError(`Cannot write ${path}: it is not a regular file.`);
  return { target: await realpath(path), mode: found.mode };
}
