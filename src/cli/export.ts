import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { type ApiOptions, apiCommand, connect } from './api-command.ts';
import { describeCounts } from './copy-progress.ts';
import { printableJson, printStderr } from './output.ts';
import { type Progress, startProgress } from './progress.ts';
import { ExportParser } from './transfer/export-parser.ts';
import { replaceFile } from './transfer/replace-file.ts';

/** The output is the response body byte for byte; the summary goes to standard error. */
export function exportCommand(): Command {
  return apiCommand('export')
    .option('--output <file>', 'File to write, or - for standard output (default: -)')
    .action(exportPresets);
}

async function exportPresets(options: ApiOptions & { readonly output?: string }): Promise<void> {
  const body = await connect(options).open('/export');
  const parser = new ExportParser('The export');
  const file = options.output === '-' ? undefined : options.output;
  const isOnTerminal = file === undefined && process.stdout.isTTY;
  // A bar would be drawn between the lines of the export.
  const progress = startProgress('Exporting', 'presets', isOnTerminal);
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
