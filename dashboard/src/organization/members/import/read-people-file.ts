import { readCsvRows } from '../../../../../src/client/member-import/csv-rows.ts';
import type { LocatedPerson } from '../../../../../src/client/member-import/import-batch.ts';
import { formatLineProblem } from '../../../../../src/client/member-import/line-report.ts';
import { MemberFileError } from '../../../../../src/client/member-import/member-file-error.ts';
import { headerRule, PeopleParser } from '../../../../../src/client/member-import/people-parser.ts';

/** What a file holds, by the rules of the command line. */
export interface PeopleFile {
  readonly people: readonly LocatedPerson[];
  /** A sentence for each row that cannot be imported. */
  readonly problems: readonly string[];
  /** How many lines those rows have. */
  readonly refusedLines: number;
  readonly unknownColumns: readonly string[];
}

const bytesMax = 50 * 1024 ** 2;

/** Throws a `FileProblem` for a file of which nothing can be read. */
export async function readPeopleFile(file: Blob, name: string): Promise<PeopleFile> {
  if (file.size > bytesMax)
    throw new MemberFileError(
      `${name} has more than 50 MiB. "presetd member import" reads files of any length.`,
    );
  const people: LocatedPerson[] = [];
  const problems: string[] = [];
  let refusedLines = 0;
  let reader: PeopleParser | undefined;
  for await (const row of readCsvRows(slicesOf(file), name)) {
    if (reader === undefined) {
      reader = new PeopleParser(row, name);
      continue;
    }
    const { line, lastLine } = row;
    const person = reader.parse(row);
    if (typeof person !== 'string') people.push({ person, line, lastLine });
    else {
      problems.push(formatLineProblem(row, person));
      refusedLines += lastLine - line + 1;
    }
  }
  if (reader === undefined) throw new MemberFileError(`${name} is empty. ${headerRule}`);
  return { people, problems, refusedLines, unknownColumns: reader.unknownColumns };
}

const sliceBytes = 256 * 1024;

/** Between two slices the page can do something else, so that a long file does not freeze it. */
async function* slicesOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += sliceBytes)
    yield new Uint8Array(await file.slice(start, start + sliceBytes).arrayBuffer());
}
