import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { importedMembersMax } from '../api/limits.ts';
import type { ImportedMember } from '../api/members.ts';
import { oneLine } from '../core/text/printable.ts';
import { MemberFileError, readCsvRows } from '../member-import/csv-rows.ts';
import { importBatch, type LocatedPerson, type PersonOutcome } from '../member-import/import-batch.ts';
import { describeLines, type LineRange, LineReport, MemberTally } from '../member-import/import-report.ts';
import { headerRule, type ListedPerson, PeopleParser } from '../member-import/people-parser.ts';
import type { ApiClient } from './api-client.ts';
import { connectToOrganization, type ServerOptions, serverCommand } from './api-command.ts';
import { CommandError, fileError } from './command-error.ts';
import { sendInOrder } from './transfer/send-in-order.ts';
import { printStderr } from './ui/output.ts';
import { type Progress, startProgress } from './ui/progress.ts';

/** The server works on one request while the next is on its way. */
const requestsMax = 2;
/** Generous: a batch of 500 people may have to wait for other writers. */
const timeoutMs = 120_000;

export function importCommand(): Command {
  return serverCommand('import')
    .summary('Add members from a CSV file of any size')
    .description(
      'Add members from a CSV file of any size. Lines with errors are reported and skipped. Importing a file again is safe.',
    )
    .argument('<file>', 'CSV file, or - for standard input')
    .option('--update', 'Update existing members from the file; empty values keep the current ones')
    .addHelpText('after', fileHelp)
    .action((file: string, options: ServerOptions & { readonly update?: true }) =>
      new MemberImport(connectToOrganization(options), options.update === true).run(file),
    );
}

const fileHelp = `
The first line names the columns. Only email is required; the default role is
org:member:

  email,first_name,last_name,role
  grace@example.com,Grace,Hopper,org:admin
  alan@example.com,Alan,Turing,`;

/** People may be sent in any order, unlike the versions of a preset. */
interface Batch {
  readonly people: readonly LocatedPerson[];
  readonly isContinuation: false;
}

/**
 * One import of one file.
 *
 * The file is streamed: rows are parsed, collected into batches and sent two requests at a time,
 * while problems are printed as they are found. Bad lines do not stop the import, a failed request
 * or an unreadable file does. In both cases the summary is printed last, and what the server
 * accepted stays. Memory is bounded by the batches in flight, plus one map entry per address to
 * find duplicates.
 */
class MemberImport {
  readonly #api: ApiClient;
  readonly #update: boolean;
  readonly #progress: Progress = startProgress('Importing', ['person', 'people']);
  readonly #tally = new MemberTally();
  readonly #rejected = new LineReport('were rejected');
  readonly #differing = new LineReport('differ from the server');

  constructor(api: ApiClient, update: boolean) {
    this.#api = api;
    this.#update = update;
  }

  async run(file: string): Promise<void> {
    const stream = file === '-' ? process.stdin : createReadStream(file);
    try {
      await sendInOrder(this.#readBatches(stream, file), requestsMax, (batch) => this.#send(batch.people));
    } catch (error) {
      this.#finish('These changes are saved; it is safe to import the file again.');
      throw error instanceof MemberFileError ? new CommandError(error.message, { cause: error }) : error;
    } finally {
      // Reading ahead from a pipe that stays open would keep the process alive.
      stream.destroy();
    }
    this.#finish();
  }

  async *#readBatches(stream: Readable, file: string): AsyncGenerator<Batch> {
    const name = file === '-' ? 'Standard input' : file;
    let parser: PeopleParser | undefined;
    let people: LocatedPerson[] = [];
    for await (const row of readCsvRows(readChunks(stream, file), name)) {
      if (parser === undefined) {
        parser = new PeopleParser(row, name);
        this.#warnAboutColumns(parser.unknownColumns);
        continue;
      }
      const person = parser.parse(row);
      if (typeof person === 'string') this.#reject(row, person);
      else people.push({ person, line: row.line, lastLine: row.lastLine });
      if (people.length < importedMembersMax) continue;
      yield { people, isContinuation: false };
      people = [];
    }
    if (parser === undefined) throw new CommandError(`${name} is empty. ${headerRule}`);
    if (people.length > 0) yield { people, isContinuation: false };
  }

  async #send(people: readonly LocatedPerson[]): Promise<void> {
    try {
      for (const result of await importBatch(people, (batch) => this.#post(batch))) this.#count(result);
    } catch (error) {
      throw withLines(error, people);
    }
    this.#progress.advance(people.length);
  }

  async #post(people: readonly ListedPerson[]): Promise<readonly ImportedMember[]> {
    const response = await this.#api.call(
      'POST /organization/members/import',
      { body: { members: [...people], update_existing: this.#update } },
      { isIdempotent: true, timeoutMs },
    );
    return response.content.data;
  }

  #count({ outcome, problem = '', ...lines }: PersonOutcome): void {
    if (outcome === 'refused') this.#reject(lines, problem);
    else this.#tally.add(outcome);
    if (outcome === 'differs') this.#print(this.#differing.add(lines, problem));
  }

  /** Rejections are counted in lines, not people: that is what the user has to fix. */
  #reject(lines: LineRange, problem: string): void {
    this.#tally.add('refused', lines.lastLine - lines.line + 1);
    this.#print(this.#rejected.add(lines, problem));
  }

  #warnAboutColumns(titles: readonly string[]): void {
    if (titles.length === 0) return;
    const names = titles.map((title) => oneLine(title)).join(', ');
    this.#print([`Warning: ignoring unknown columns: ${names}.`]);
  }

  #print(lines: readonly string[]): void {
    if (lines.length > 0) this.#progress.clear();
    for (const line of lines) printStderr(line);
  }

  /** `note` is given after a failure, when the summary matters only if something was imported. */
  #finish(note?: string): void {
    this.#progress.finish();
    if (note !== undefined && !this.#tally.hasImported) return;
    const summary = [this.#tally.summarize('use --update'), ...(note === undefined ? [] : [note])].join(' ');
    printStderr([...this.#rejected.remainder(), ...this.#differing.remainder(), summary].join('\n'));
    if (!this.#tally.isComplete) process.exitCode = 1;
  }
}

async function* readChunks(stream: Readable, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw fileError(`Cannot read ${file === '-' ? 'standard input' : file}`, error);
  }
}

/** Adds to a failed request which lines of the file it carried. */
function withLines(error: unknown, people: readonly LocatedPerson[]): unknown {
  if (!(error instanceof CommandError)) return error;
  const lines = describeLines({ line: people[0]?.line ?? 0, lastLine: people.at(-1)?.lastLine ?? 0 });
  return error.restated(`${lines} could not be imported: ${error.message}`);
}
