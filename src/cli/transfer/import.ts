import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { JsonText } from '../../api/client.ts';
import type { ImportResult } from '../../api/transfer.ts';
import { oneLine } from '../../core/text/printable.ts';
import type { ApiClient } from '../api-client.ts';
import { type ApiOptions, apiCommand, connect } from '../api-command.ts';
import { CommandError, exitCodes, fileError } from '../command-error.ts';
import { printStderr } from '../ui/output.ts';
import { type Progress, startProgress } from '../ui/progress.ts';
import { ExportParser } from './export-parser.ts';
import { type ImportBatch, ImportBatcher } from './import-batcher.ts';
import { importOpenAiCommand } from './import-openai.ts';
import { ImportTally, SkippedReport } from './import-report.ts';
import { sendInOrder } from './send-in-order.ts';

/** Small enough to keep the bar moving and retries cheap, and far below the server's body limit. */
const batchLimits = { bytesMax: 4 * 1024 ** 2, linesMax: 5_000, presetsMax: 200 };
/** The server works on one request while the next is on its way. It serializes writes anyway. */
const requestsMax = 2;
/** Generous: a batch may have to wait for other writers. */
const timeoutMs = 120_000;

export function importCommand(): Command {
  return (
    apiCommand('import')
      .description(
        'Import presets from an export. Existing versions are never changed: presets that differ or have more versions on the server are reported and skipped.',
      )
      .argument('<file>', 'File to import, or - for standard input')
      .action(importPresets)
      // Options after "openai" belong to it, although this command has options of the same names.
      .enablePositionalOptions()
      .addCommand(importOpenAiCommand())
  );
}

/**
 * The file is read, sent and reported as a stream, so its size does not matter. After a failure the
 * presets imported so far stay: importing the same file again skips them.
 */
async function importPresets(file: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  const progress = startProgress('Importing', ['preset', 'presets']);
  const tally = new ImportTally();
  const skipped = new SkippedReport();
  const finish = (note = '') => {
    progress.finish();
    printStderr([...skipped.remainder(), tally.summarize() + note].join('\n'));
  };
  try {
    await sendInOrder(readBatches(file, progress), requestsMax, async (batch) => {
      const results = await sendBatch(api, batch);
      const lines = results
        .filter((result) => countResult(result, batch, tally) || result.draft_skipped)
        .flatMap((result) => skipped.add(result, batch.presetLines.get(result.slug)));
      if (lines.length > 0) progress.clear();
      for (const line of lines) printStderr(line);
      progress.advance(batch.presetLines.size - (batch.isContinued ? 1 : 0));
    });
  } catch (error) {
    if (tally.presets > 0) finish(' These changes are saved; it is safe to import the file again.');
    throw error;
  } finally {
    progress.finish();
  }
  finish();
  if (tally.hasConflicts) process.exitCode = exitCodes.conflict;
}

async function* readBatches(file: string, progress: Progress): AsyncGenerator<ImportBatch> {
  const parser = new ExportParser(file === '-' ? 'Standard input' : file);
  const batcher = new ImportBatcher(batchLimits);
  for await (const chunk of readChunks(file)) {
    for (const line of parser.push(chunk)) {
      if (line.content.type === 'export') progress.expect(line.content.presets);
      yield* batcher.add(line);
    }
  }
  for (const line of parser.finish()) yield* batcher.add(line);
  yield* batcher.flush();
}

async function* readChunks(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* file === '-' ? process.stdin : createReadStream(file);
  } catch (error) {
    throw fileError(`Cannot read ${file === '-' ? 'standard input' : file}`, error);
  }
}

async function sendBatch(
  api: ApiClient,
  { body, lineNumbers }: ImportBatch,
): Promise<readonly ImportResult[]> {
  try {
    const response = await api.call(
      'POST /import',
      { headers: { 'content-type': 'application/x-ndjson' }, body: new JsonText(body) },
      { isIdempotent: true, timeoutMs },
    );
    return response.content.data;
  } catch (error) {
    throw error instanceof CommandError ? restateWithFileLines(error, lineNumbers) : error;
  }
}

/**
 * Restates a failed request in terms of the file. The server reports issues by line of the request,
 * counted from 0; `lineNumbers` has the file line of each. If no issue names a line, the message
 * says which lines the request contained.
 */
export function restateWithFileLines(error: CommandError, lineNumbers: readonly number[]): CommandError {
  const problems = error.issues.flatMap(({ path, message }) => {
    const [, index, rest = ''] = /^\/(\d+)(\/.*)?$/s.exec(path) ?? [];
    const line = index === undefined ? undefined : lineNumbers[Number(index)];
    return line === undefined ? [] : [oneLine(`line ${line}: ${rest} ${message}`.replace(/ {2,}/, ' '))];
  });
  if (problems.length === 0) {
    const lines = `Lines ${lineNumbers[0]} to ${lineNumbers.at(-1)}`;
    return error.restated(`${lines} could not be imported: ${error.message}`);
  }
  if (problems.length === 1) return error.restated(`The server rejected ${problems[0]}.`);
  return error.restated(['The server rejected these lines:', ...problems].join('\n  '));
}

/**
 * Counts a result. Returns false if it only repeats what an earlier part of the same preset
 * reported, so that a preset split over several batches is listed once.
 */
function countResult(result: ImportResult, batch: ImportBatch, tally: ImportTally): boolean {
  const slugs = [...batch.presetLines.keys()];
  const isPart =
    (batch.isContinuation && result.slug === slugs[0]) || (batch.isContinued && result.slug === slugs.at(-1));
  return tally.add(result, isPart);
}
