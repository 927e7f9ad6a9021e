import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { Command } from 'commander';
import { readCsvRows } from '../../client/member-import/csv-rows.ts';
import {
  batchSize,
  importBatch,
  type LocatedPerson,
  type PersonOutcome,
} from '../../client/member-import/import-batch.ts';
import { describeLines, type LineRange, LineReport } from '../../client/member-import/line-report.ts';
import { MemberFileError } from '../../client/member-import/member-file-error.ts';
import { type ImportedMember, MemberTally } from '../../client/member-import/member-tally.ts';
import { headerRule, PeopleParser, type Person } from '../../client/member-import/people-parser.ts';
import { oneLine } from '../../client/printable.ts';
import type { ApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { fileError } from '../file-error.ts';
import { connectToOrganization } from '../organization/command.ts';
import { printStderr } from '../output.ts';
import { type Progress, startProgress } from '../progress.ts';
import { sendInOrder } from '../transfer/send-in-order.ts';

const requestsMax = 2;
const timeoutMs = 120_000;

export function importCommand(): Command {
  return new Command('import')
    .summary('add the people of a CSV file, however many they are')
    .description(
      'Add the people of a CSV file, however many they are. What is wrong is told by its line and the rest is imported; it is safe to import a file again.',
    )
    .argument('<file>', 'the file, or - for standard input')
    .option(
      '--update',
      'change those who are members already to what the file says; what it leaves empty stays',
    )
    .addHelpText('after', fileHelp)
    .action((file: string, { update = false }: { readonly update?: boolean }) =>
      new MemberImport(connectToOrganization(), update).run(file),
    );
}

const fileHelp = `
The first line of the file names its columns. Only email is needed; a role is
org:member where none is given:

  email,first_name,last_name,role
  grace@example.com,Grace,Hopper,org:admin
  alan@example.com,Alan,Turing,`;

interface Group {
  readonly people: readonly LocatedPerson[];
  readonly isContinuation: false;
}

/** One run over one file. */
class MemberImport {
  readonly #api: ApiClient;
  readonly #update: boolean;
  readonly #progress: Progress = startProgress('Importing', 'people');
  readonly #tally = new MemberTally();
  readonly #refused = new LineReport('were refused');
  readonly #differing = new LineReport('differ from what the server has');

  constructor(api: ApiClient, update: boolean) {
    this.#api = api;
    this.#update = update;
  }

  async run(file: string): Promise<void> {
    const name = file === '-' ? 'Standard input' : file;
    const stream = file === '-' ? process.stdin : createReadStream(file);
    try {
      await sendInOrder(this.#readGroups(stream, name), requestsMax, (group) => this.#send(group.people));
    } catch (error) {
      this.#finish('What was imported stays, and it is safe to import the file again.');
      throw error instanceof MemberFileError ? new CommandError(error.message, { cause: error }) : error;
    } finally {
      // It is read ahead, and what is still awaited from a pipe would keep the process alive.
      stream.destroy();
    }
    this.#finish();
  }

  async *#readGroups(stream: Readable, name: string): AsyncGenerator<Group> {
    let reader: PeopleParser | undefined;
    let people: LocatedPerson[] = [];
    for await (const row of readCsvRows(readChunks(stream, name), name)) {
      if (reader === undefined) {
        reader = new PeopleParser(row, name);
        this.#warnOfColumns(reader.unknownColumns);
        continue;
      }
      const person = reader.parse(row);
      if (typeof person === 'string') this.#refuse(row, person);
      else people.push({ person, line: row.line, lastLine: row.lastLine });
      if (people.length < batchSize) continue;
      yield { people, isContinuation: false };
      people = [];
    }
    if (reader === undefined) throw new CommandError(`${name} is empty. ${headerRule}`);
    if (people.length > 0) yield { people, isContinuation: false };
  }

  async #send(people: readonly LocatedPerson[]): Promise<void> {
    try {
      for (const result of await importBatch(people, (rest) => this.#post(rest))) this.#count(result);
    } catch (error) {
      throw placed(error, people);
    }
    this.#progress.advance(people.length);
  }

  async #post(people: readonly Person[]): Promise<readonly ImportedMember[]> {
    const answer = await this.#api.send<{ readonly data: readonly ImportedMember[] }>({
      method: 'POST',
      path: '/organization/members/import',
      body: JSON.stringify({ members: people, update_existing: this.#update }),
      isIdempotent: true,
      timeoutMs,
    });
    return answer.content.data;
  }

  #count({ outcome, problem = '', ...place }: PersonOutcome): void {
    if (outcome === 'refused') this.#refuse(place, problem);
    else this.#tally.add(outcome);
    if (outcome === 'differs') this.#tell(this.#differing.add(place, problem));
  }

  #refuse(place: LineRange, problem: string): void {
    this.#tally.add('refused', place.lastLine - place.line + 1);
    this.#tell(this.#refused.add(place, problem));
  }

  #warnOfColumns(titles: readonly string[]): void {
    if (titles.length === 0) return;
    const names = titles.map((title) => oneLine(title)).join(', ');
    this.#tell([`Warning: these columns are not known, and are left out: ${names}.`]);
  }

  #tell(lines: readonly string[]): void {
    if (lines.length > 0) this.#progress.clear();
    for (const line of lines) printStderr(line);
  }

  #finish(addition?: string): void {
    this.#progress.finish();
    if (addition !== undefined && !this.#tally.hasImported) return;
    const summary = [
      this.#tally.summarize('use --update'),
      ...(addition === undefined ? [] : [addition]),
    ].join(' ');
    printStderr([...this.#refused.rest(), ...this.#differing.rest(), summary].join('\n'));
    if (!this.#tally.isComplete) process.exitCode = 1;
  }
}

async function* readChunks(stream: Readable, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw fileError(`${name} cannot be read`, error);
  }
}

function placed(error: unknown, people: readonly LocatedPerson[]): unknown {
  if (!(error instanceof CommandError)) return error;
  const [first, last] = [people[0]?.line ?? 0, people.at(-1)?.lastLine ?? 0];
  const place = describeLines({ line: first, lastLine: last });
  return error.restated(`${place} could not be imported: ${error.message}`);
}
