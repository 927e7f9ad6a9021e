import { MemberFileError, readCsvRows } from '../../../../src/member-import/csv-rows.ts';
import type { LocatedPerson } from '../../../../src/member-import/import-batch.ts';
import { formatLineProblem } from '../../../../src/member-import/import-report.ts';
import { headerRule, PeopleParser } from '../../../../src/member-import/people-parser.ts';
import { formatNumber } from '../../components/text.ts';

/** The content of a file, read by the same rules as `presetd member import`. */
export interface PeopleFile {
  readonly people: readonly LocatedPerson[];
  /** One message per row that cannot be imported. */
  readonly problems: readonly string[];
  /** Number of lines in those rows; a quoted cell can span several. */
  readonly rejectedLines: number;
  readonly unknownColumns: readonly string[];
}

/** The page holds all rows in memory; the command line streams and has no limit. */
const bytesMax = 50 * 1024 ** 2;

/** Throws a `MemberFileError` if nothing in the file can be read. */
export async function readPeopleFile(file: Blob, name: string): Promise<PeopleFile> {
  if (file.size > bytesMax)
    throw new MemberFileError(
      `${name} is larger than 50 MiB. Use "presetd member import", which has no limit.`,
    );
  const people: LocatedPerson[] = [];
  const problems: string[] = [];
  let rejectedLines = 0;
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
      rejectedLines += lastLine - line + 1;
    }
  }
  if (reader === undefined) throw new MemberFileError(`${name} is empty. ${headerRule}`);
  return { people, problems, rejectedLines, unknownColumns: reader.unknownColumns };
}

/** Large enough to be fast, small enough to keep each pause below a frame or two. */
const sliceBytes = 256 * 1024;

/** Reads in slices, so that the page stays responsive while it reads a long file. */
async function* slicesOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += sliceBytes)
    yield new Uint8Array(await file.slice(start, start + sliceBytes).arrayBuffer());
}

/** More would bury the rest of the dialog, and some files have thousands. */
const columnsMax = 20;
const charactersMax = 100;

/** "Team, City and 3 more". */
export function listColumns(titles: readonly string[]): string {
  const shown = titles.slice(0, columnsMax).map(shortened).join(', ');
  const rest = titles.length - columnsMax;
  return rest > 0 ? `${shown} and ${formatNumber(rest)} more` : shown;
}

function shortened(title: string): string {
  return title.length > charactersMax ? `${title.slice(0, charactersMax).toWellFormed()}…` : title;
}
