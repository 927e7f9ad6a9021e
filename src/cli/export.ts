import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { type ApiOptions, apiCommand, connect } from './api-command.ts';
import { printableJson, printStderr } from './output.ts';
import { type Progress, startProgress } from './progress.ts';
import { ExportParser } from './transfer/export-parser.ts';
import { replaceFile } from './transfer/replace-file.ts';

export function exportCommand(): Command {
  return apiCommand('export')
    .option('--output <file>', 'where to write them, or - for standard output (the default)')
    .action(exportPresets);
}

async function exportPresets(options: ApiOptions & { readonly output?: string }): Promise<void> {
  const body = await connect(options).open('/export');
  const reader = new ExportParser('The export');
  const file = options.output === '-' ? undefined : options.output;
  const isOnTerminal = file === undefined && process.stdout.isTTY;
  const progress = startProgress('Exporting', 'presets', isOnTerminal);
  try {
    const content = checked(body, reader, progress);
    if (file !== undefined) await replaceFile(file, content);
    else await pipeline(isOnTerminal ? printableJson(content) : content, process.stdout, { end: false });
  } finally {
    progress.finish();
  }
  printStderr(`Exported ${counted(reader.presets, 'preset')} with ${counted(reader.versions, 'version')}.`);
}

/** The same bytes, with an error at the end when they are not all there. */
async function* checked(
  body: AsyncIterable<Uint8Array>,
  reader: ExportParser,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    const before = reader.presets;
    for (const { content } of reader.push(chunk))
      if (content.type === 'export') progress.expect(content.presets);
    progress.advance(reader.presets - before);
    yield chunk;
  }
  reader.finish();
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
