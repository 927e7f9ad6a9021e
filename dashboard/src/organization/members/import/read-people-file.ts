import { readCsvRows } from '../../../../../src/client/member-import/csv-rows.ts';
import { FileProblem } from '../../../../../src/client/member-import/file-problem.ts';
import type { PlacedPerson } from '../../../../../src/client/member-import/import-group.ts';
import { describeLine } from '../../../../../src/client/member-import/line-report.ts';
import { headerRule, PeopleReader } from '../../../../../src/client/member-import/people.ts';

/** What a file holds, by the rules of the command line. */
export interface PeopleFile {
  readonly people: readonly PlacedPerson[];
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
    throw new FileProblem(`${name} has more than 50 MiB. "presetd member import" reads files of any length.`);
  const people: PlacedPerson[] = [];
  const problems: string[] = [];
  let refusedLines = 0;
  let reader: PeopleReader | undefined;
  for await (const row of readCsvRows(slicesOf(file), name)) {
    if (reader === undefined) {
      reader = new PeopleReader(row, name);
      continue;
    }
    const { line, lastLine } = row;
    const person = reader.read(row);
    if (typeof person !== 'string') people.push({ person, line, lastLine });
    else {
      problems.push(describeLine(row, person));
      refusedLines += lastLine - line + 1;
    }
  }
  if (reader === undefined) throw new FileProblem(`${name} is empty. ${headerRule}`);
  return { people, problems, refusedLines, unknownColumns: reader.unknownColumns };
}

const sliceBytes = 256 * 1024;

/** Between two slices the page can do something else, so that a long file does not freeze it. */
async function* slicesOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += sliceBytes)
    yield new Uint8Array(await file.slice(start, start + sliceBytes).arrayBuffer());
}
