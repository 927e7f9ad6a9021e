import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, startCommand } from '../support/command.ts';
import { runCommand } from '../support/run-command.ts';
import { type StubServer, startStubServer } from '../support/stub-server.ts';

interface Person {
  readonly email: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly role?: string;
}

interface ImportBody {
  readonly members: readonly Person[];
  readonly update_existing: boolean;
}

type StubResponse = { readonly status?: number; readonly body: unknown } | 'disconnect';

const key = 'the-management-key';
const directory = createWorkingDirectory();
const stubs: StubServer[] = [];

afterEach(async () => {
  await Promise.all(stubs.splice(0).map((stub) => stub.stop()));
});
afterAll(() => directory.remove());

const allAdded = ({ members }: ImportBody): StubResponse => outcomes(members.map(() => 'added'));
const outcomes = (all: readonly (string | { outcome: string; message: string })[]): StubResponse => ({
  body: { data: all.map((item) => (typeof item === 'string' ? { outcome: item } : item)) },
});

/** A server that responds to imports as the test wants, and records the requests. */
async function startImportServer(
  respond: (body: ImportBody, attempt: number) => StubResponse | Promise<StubResponse>,
) {
  const bodies: ImportBody[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request;
    const body = (await json(request)) as ImportBody;
    expect([method, url, headers.authorization]).toEqual([
      'POST',
      '/api/v1/organization/members/import',
      `Bearer ${key}`,
    ]);
    const result = await respond(body, bodies.push(body));
    if (result === 'disconnect') return request.socket.destroy();
    const data = (result.body as { data?: readonly object[] }).data;
    const named = data?.map((item, index) => ({ email: body.members[index]?.email, ...item }));
    response
      .writeHead(result.status ?? 200, { 'retry-after': '0' })
      .end(JSON.stringify(named === undefined ? result.body : { data: named }));
  };
  const stub = await startStubServer(listener);
  stubs.push(stub);
  return { url: stub.url, bodies };
}

const file = (content: string | Uint8Array, name = 'people.csv') => {
  writeFileSync(join(directory.path, name), content);
  return name;
};
const importAt = (url: string, args: readonly string[], input?: string | Uint8Array) =>
  runCommand(
    ['member', 'import', ...args],
    directory.path,
    { PRESETD_URL: url, PRESETD_API_KEY: 'another-key', PRESETD_MANAGEMENT_KEY: key },
    input,
  );

describe('ten thousand people', () => {
  it('ten thousand people are sent in order, in batches of 500, two requests at a time', async () => {
    let inFlight = 0;
    let mostInFlight = 0;
    const server = await startImportServer(async (body) => {
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      await delay(2);
      inFlight -= 1;
      return allAdded(body);
    });
    const emails = Array.from({ length: 10_000 }, (_, index) => `person-${index}@example.com`);
    const lines = emails.map((email, index) => `${email},"First, ${index}",Last`);
    const name = file(`email,first_name,last_name\r\n${lines.join('\r\n')}\r\n`);
    expect(await importAt(server.url, [name])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Added 10,000 people.\n',
    });
    expect(mostInFlight).toBe(2);
    expect(server.bodies).toHaveLength(20);
    expect(server.bodies.every(({ members }) => members.length === 500)).toBe(true);
    // Of two requests in flight, either may arrive first.
    const batches = server.bodies.map(({ members }) => emails.indexOf(members[0]?.email ?? '') / 500);
    expect(batches.every((batch, place) => Math.abs(batch - place) <= 1)).toBe(true);
    const sent = server.bodies
      .toSorted((one, other) => indexOf(one) - indexOf(other))
      .flatMap(({ members }) => members);
    expect(sent.map(({ email }) => email)).toEqual(emails);
    expect(sent.at(-1)).toEqual({
      email: 'person-9999@example.com',
      first_name: 'First, 9999',
      last_name: 'Last',
    });
  });

  const indexOf = ({ members }: ImportBody) => Number(/\d+/.exec(members[0]?.email ?? '')?.[0]);
});

describe('a file', () => {
  it('a file from a spreadsheet may have semicolons, a byte order mark, CRLF and other columns', async () => {
    const server = await startImportServer(allAdded);
    const content =
      '\uFEFFLast Name;E-Mail;Team;ROLE;first-name\r\nHopper;grace@example.com;"Navy;\r\nCOBOL";Admin;Grace\r\n\r\n;alan@example.com;;;\r\n';
    expect(await importAt(server.url, ['-'], content)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Warning: ignoring unknown columns: Team.\nAdded 2 people.\n',
    });
    expect(server.bodies).toEqual([
      {
        members: [
          { email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper', role: 'org:admin' },
          { email: 'alan@example.com' },
        ],
        update_existing: false,
      },
    ]);
  });

  it('lines with errors are reported and the others are imported', async () => {
    const server = await startImportServer(allAdded);
    const content = `email,first_name,last_name,role
ann@example.com,Ann,,

bob.example.com,Bob,,
"carl@example.com","Carl
Otto",,
dora@example.com,Dora,,boss
ANN@example.com,Anna,,
,,Nobody,
eve@example.com,Eve,Adams, Jr.,member
"fred@example.com","Fred ""the \u001b[31m""",,member
gus@example.com,,,
`;
    expect(await importAt(server.url, [file(content)])).toEqual({
      code: 1,
      stdout: '',
      stderr: `Line 4: "bob.example.com" is not an email address.
Lines 5 to 6: the first name must have at most 200 characters and no line breaks or other control characters.
Line 7: the role "boss" is not org:admin or org:member.
Line 8: "ANN@example.com" is already on line 2.
Line 9: the email address is missing.
Line 10: it has 5 values for 4 columns; quote values that contain the separator.
Line 11: the first name must have at most 200 characters and no line breaks or other control characters.
Added 2 people; 8 lines were rejected.
`,
    });
    expect(server.bodies.flatMap(({ members }) => members.map(({ email }) => email))).toEqual([
      'ann@example.com',
      'gus@example.com',
    ]);
  });

  it('a thousand lines with errors are reported and the rest is counted', async () => {
    const server = await startImportServer(allAdded);
    const content = `email\n${'x\n'.repeat(1_500)}ann@example.com\n`;
    const { code, stderr } = await importAt(server.url, ['-'], content);
    const lines = stderr.split('\n');
    expect([code, lines.length, lines[0], lines[999]]).toEqual([
      1,
      1_003,
      'Line 2: "x" is not an email address.',
      'Line 1001: "x" is not an email address.',
    ]);
    expect(lines.slice(1_000)).toEqual([
      'And 500 more lines were rejected.',
      'Added 1 person; 1,500 lines were rejected.',
      '',
    ]);
  });

  it('a file with only a header adds no one and sends nothing', async () => {
    const server = await startImportServer(allAdded);
    expect(await importAt(server.url, ['-'], 'email')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Added 0 people.\n',
    });
    expect(server.bodies).toEqual([]);
  });

  it('an invalid file is rejected before its end', async () => {
    const environment = { PRESETD_URL: 'http://127.0.0.1:1', PRESETD_MANAGEMENT_KEY: key };
    const { process: child, finished } = startCommand(['member', 'import', '-'], directory.path, environment);
    child.stdin.write('name\nsomebody\n');
    expect(await finished).toMatchObject({ code: 1, stderr: expect.stringContaining('no email column') });
  });

  const rule =
    'The first line must name the columns: email, and optionally first_name, last_name and role.\n';

  it.each([
    ['does not exist', ['no.csv'], undefined, 'Cannot read no.csv: no such file or directory.\n'],
    ['is a directory', ['.'], undefined, 'Cannot read .: it is a directory.\n'],
    ['is empty', ['-'], '\uFEFF\n \n', `Standard input is empty. ${rule}`],
    ['has no header', ['-'], 'ann@example.com,Ann\n', `Standard input begins with an email address. ${rule}`],
    [
      'has no email column',
      ['-'],
      'Name;Mail\nAnn;a@b.c\n',
      `Standard input has no email column, only "Name", "Mail". ${rule}`,
    ],
    ['has a column twice', ['-'], 'email,E-Mail\n', 'Standard input has the column email twice.\n'],
    [
      'is not UTF-8',
      ['-'],
      Buffer.from('email,first_name\na@b.c,J\xfcrgen\n', 'latin1'),
      'Standard input is not valid UTF-8 (line 2). Save it as "CSV UTF-8" in your spreadsheet, or convert it with "iconv -f windows-1252 -t utf-8".\n',
    ],
    [
      'is UTF-16',
      ['-'],
      Buffer.from('\uFEFFemail\na@b.c\n', 'utf16le'),
      'Standard input is not valid UTF-8 (line 1). Save it as "CSV UTF-8" in your spreadsheet, or convert it with "iconv -f utf-16 -t utf-8".\n',
    ],
    [
      'has an unclosed quotation mark',
      ['-'],
      'email,first_name\na@b.c,A\nb@b.c,"B\nc@b.c,C\n',
      'Standard input has a quotation mark on line 3 that is not closed.\n',
    ],
  ])('a file that %s is rejected', async (_title, args, input, message) => {
    const server = await startImportServer(allAdded);
    expect(await importAt(server.url, args, input)).toEqual({ code: 1, stdout: '', stderr: message });
    expect(server.bodies).toEqual([]);
  });
});

describe('the response of the server', () => {
  const people = file('email,first_name\na@b.c,A\n"b@b.c\n",B\n\nc@b.c,C\nd@b.c,D\n', 'four.csv');

  it('outcomes are counted, and skipped people are reported by line', async () => {
    const server = await startImportServer(() =>
      outcomes([
        'added',
        'unchanged',
        'differs',
        { outcome: 'refused', message: 'd@b.c is the last org:admin. Add another one first.' },
      ]),
    );
    expect(await importAt(server.url, [people])).toEqual({
      code: 1,
      stdout: '',
      stderr: `Line 6: c@b.c is a member with a different name or role.
Line 7: d@b.c is the last org:admin. Add another one first.
Added 1 person; 1 was already a member; 1 differs and was skipped (use --update); 1 line was rejected.
`,
    });
  });

  it('--update counts the members it updated', async () => {
    const server = await startImportServer(() => outcomes(['updated', 'unchanged', 'updated', 'added']));
    expect(await importAt(server.url, ['--update', people])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Added 1 person; updated 2; 1 was already a member.\n',
    });
    expect(server.bodies.map(({ update_existing }) => update_existing)).toEqual([true]);
  });

  it('people that the server rejects are reported by line, and the others are sent again', async () => {
    const server = await startImportServer((body, attempt) =>
      attempt > 1
        ? allAdded(body)
        : {
            status: 400,
            body: {
              error: {
                code: 400,
                message: 'The request body is not valid: …',
                metadata: {
                  issues: [
                    { path: '/members/1/email', message: 'must be another' },
                    { path: '/members/1/first_name', message: 'must be shorter' },
                    { path: '/members/3', message: 'must be nicer' },
                  ],
                },
              },
            },
          },
    );
    expect(await importAt(server.url, [people])).toEqual({
      code: 1,
      stdout: '',
      stderr: `Lines 3 to 4: email must be another; first_name must be shorter.
Line 7: must be nicer.
Added 2 people; 3 lines were rejected.
`,
    });
    expect(server.bodies[1]?.members.map(({ email }) => email)).toEqual(['a@b.c', 'c@b.c']);
  });

  it('the import retries while the server is busy or disconnects', async () => {
    const server = await startImportServer((body, attempt) => {
      if (attempt === 1) return { status: 503, body: { error: { message: 'busy' } } };
      if (attempt === 2) return { status: 429, body: { error: { message: 'too many' } } };
      return attempt === 3 ? 'disconnect' : allAdded(body);
    });
    expect(await importAt(server.url, [people])).toMatchObject({ code: 0, stderr: 'Added 4 people.\n' });
    expect(server.bodies).toHaveLength(4);
  });

  it('a rejected request ends the import, with a summary of what was imported', async () => {
    const lines = Array.from({ length: 1_200 }, (_, index) => `p${index}@example.com\n`);
    const server = await startImportServer((body) =>
      body.members.length === 500
        ? allAdded(body)
        : { status: 403, body: { error: { message: 'No more.' } } },
    );
    expect(await importAt(server.url, ['-'], `email\n${lines.join('')}`)).toEqual({
      code: 3,
      stdout: '',
      stderr: `Added 1,000 people. These changes are saved; it is safe to import the file again.
Lines 1002 to 1201 could not be imported: No more. (key: PRESETD_MANAGEMENT_KEY)
`,
    });
  });

  it('a rejected key is reported with the setting it comes from', async () => {
    const server = await startImportServer(() => ({ status: 401, body: { error: { message: 'No.' } } }));
    const { stderr } = await importAt(server.url, ['-'], 'email\nx\na@b.c\n');
    expect(stderr).toBe(
      `Line 2: "x" is not an email address.\nLine 3 could not be imported: The server at ${server.url} rejected the key in PRESETD_MANAGEMENT_KEY: No.\n`,
    );
  });
});
