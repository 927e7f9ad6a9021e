import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import type { ApiClient } from './api-client.ts';
import { type ApiOptions, apiCommand, connect } from './api-command.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { fileError } from './file-error.ts';
import { printStderr } from './output.ts';
import { type Progress, startProgress } from './progress.ts';
import { ExportParser } from './transfer/export-parser.ts';
import { type ImportBatch, ImportBatcher } from './transfer/import-batcher.ts';
import { restateWithFileLines } from './transfer/import-error.ts';
import { type ImportResult, ImportTally } from './transfer/import-tally.ts';
import { sendInOrder } from './transfer/send-in-order.ts';
import { SkippedReport } from './transfer/skipped-report.ts';

const groupLimits = { bytesMax: 4 * 1024 ** 2, presetsMax: 200 };
const requestsMax = 2;
const timeoutMs = 120_000;

export function importCommand(): Command {
  return apiCommand('import').argument('<file>', 'the file, or - for standard input').action(importPresets);
}

async function importPresets(file: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  const progress = startProgress('Importing', 'presets');
  const tally = new ImportTally();
  const leftAlone = new SkippedReport();
  try {
    await sendInOrder(readGroups(file, progress), requestsMax, async (group) => {
      const results = await sendGroup(api, group);
      const told = results
        .filter((result) => isNews(result, group, tally))
        .flatMap((result) => leftAlone.add(result, group.presetLines.get(result.slug)));
      if (told.length > 0) progress.clear();
      for (const line of told) printStderr(line);
      progress.advance(group.presetLines.size - (group.isContinued ? 1 : 0));
    });
  } catch (error) {
    progress.finish();
    if (tally.presets > 0)
      printStderr(
        [
          ...leftAlone.remainder(),
          `${tally.summarize()} What was imported stays, and it is safe to import the file again.`,
        ].join('\n'),
      );
    throw error;
  }
  progress.finish();
  printStderr([...leftAlone.remainder(), tally.summarize()].join('\n'));
  if (tally.hasConflicts) process.exitCode = exitCodes.conflict;
}

async function* readGroups(file: string, progress: Progress): AsyncGenerator<ImportBatch> {
  const name = file === '-' ? 'Standard input' : file;
  const reader = new ExportParser(name);
  const grouping = new ImportBatcher(groupLimits);
  for await (const chunk of readChunks(file, name)) {
    for (const line of reader.push(chunk)) {
      if (line.content.type === 'export') progress.expect(line.content.presets);
      yield* grouping.add(line);
    }
  }
  for (const line of reader.finish()) yield* grouping.add(line);
  yield* grouping.flush();
}

async function* readChunks(file: string, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* file === '-' ? process.stdin : createReadStream(file);
  } catch (error) {
    throw fileError(`${name} cannot be read`, error);
  }
}

async function sendGroup(
  api: ApiClient,
  { body, lineNumbers }: ImportBatch,
): Promise<readonly ImportResult[]> {
  try {
    const answer = await api.send<{ data: readonly ImportResult[] }>({
      method: 'POST',
      path: '/import',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
      isIdempotent: true,
      timeoutMs,
    });
    return answer.content.data;
  } catch (error) {
    throw error instanceof CommandError ? restateWithFileLines(error, lineNumbers) : error;
  }
}

/** Counts what became of a preset. What became of one that was sent in parts is news once. */
function isNews(result: ImportResult, group: ImportBatch, tally: ImportTally): boolean {
  const slugs = [...group.presetLines.keys()];
  const isPart =
    (group.isContinuation && result.slug === slugs[0]) || (group.isContinued && result.slug === slugs.at(-1));
  return tally.add(result, isPart);
}
