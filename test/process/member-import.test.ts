import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, runCommand, startCommand } from '../support/command.ts';
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

type Answer = { readonly status?: number; readonly body: unknown } | 'break off';

const key = 'the-management-key';
const directory = createWorkingDirectory();
const stubs: StubServer[] = [];

afterEach(async () => {
  await Promise.all(stubs.splice(0).map((stub) => stub.stop()));
});
afterAll(() => directory.remove());

const allAdded = ({ members }: ImportBody): Answer => outcomes(members.map(() => 'added'));
const outcomes = (all: readonly (string | { outcome: string; message: string })[]): Answer => ({
  body: { data: all.map((item) => (typeof item === 'string' ? { outcome: item } : item)) },
});

/** A server that answers imports as the test says, and remembers what it was asked. */
async function startImportServer(answer: (body: ImportBody, attempt: number) => Answer | Promise<Answer>) {
  const bodies: ImportBody[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request;
    const body = (await json(request)) as ImportBody;
    expect([method, url, headers.authorization]).toEqual([
      'POST',
      '/api/v1/organization/members/import',
      `Bearer ${key}`,
    ]);
    const result = await answer(body, bodies.push(body));
    if (result === 'break off') return request.socket.destroy();
    const data = (result.body as { data?: readonly object[] }).data;
    const named = data?.map((item, index) => ({ email: body.members[index]?.email, ...item }));
    response
      .writeHead(result.status ?? 200, { 'retry-after': '0' })
      .end(JSON.stringify(named === undefined ? result.body : { data: named }));
  };
  const stub = await startStubServer(respond);
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

describe('a hundred thousand people', () => {
  it('are sent in groups of 500 in their order, two requests at a time, and counted', async () => {
    let underWay = 0;
    let mostUnderWay = 0;
    const server = await startImportServer(async (body) => {
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      await delay(2);
      underWay -= 1;
      return allAdded(body);
    });
    const emails = Array.from({ length: 100_000 }, (_, index) => `person-${index}@example.com`);
    const lines = emails.map((email, index) => `${email},"First, ${index}",Last`);
    const name = file(`email,first_name,last_name\r\n${lines.join('\r\n')}\r\n`);
    expect(await importAt(server.url, [name])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Added 100,000 people.\n',
    });
    expect(mostUnderWay).toBe(2);
    expect(server.bodies).toHaveLength(200);
    expect(server.bodies.every(({ members }) => members.length === 500)).toBe(true);
    // Of two that are under way either may be heard first.
    const groups = server.bodies.map(({ members }) => emails.indexOf(members[0]?.email ?? '') / 500);
    expect(groups.every((group, place) => Math.abs(group - place) <= 1)).toBe(true);
    const sent = server.bodies
      .toSorted((one, other) => indexOf(one) - indexOf(other))
      .flatMap(({ members }) => members);
    expect(sent.map(({ email }) => email)).toEqual(emails);
    expect(sent.at(-1)).toEqual({
      email: 'person-99999@example.com',
      first_name: 'First, 99999',
      last_name: 'Last',
    });
  });

  const indexOf = ({ members }: ImportBody) => Number(/\d+/.exec(members[0]?.email ?? '')?.[0]);
});

describe('a file', () => {
  it('may come from a spreadsheet: semicolons, a byte order mark, CRLF, other titles, more columns', async () => {
    const server = await startImportServer(allAdded);
    const content =
      '\uFEFFLast Name;E-Mail;Team;ROLE;first-name\r\nHopper;grace@example.com;"Navy;\r\nCOBOL";Admin;Grace\r\n\r\n;alan@example.com;;;\r\n';
    expect(await importAt(server.url, ['-'], content)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Warning: these columns are not known, and are left out: Team.\nAdded 2 people.\n',
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

  it('is told by line what is wrong with it, and the rest of it is imported', async () => {
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
      stderr: `Line 4: "bob.example.com" is not an e-mail address.
Lines 5 to 6: the first name must have at most 200 characters and no line breaks or other control characters.
Line 7: the role "boss" is not org:admin or org:member.
Line 8: "ANN@example.com" is in line 2 already.
Line 9: the e-mail address is missing.
Line 10: it has 5 values for 4 columns: a value with the separator in it needs quotation marks.
Line 11: the first name must have at most 200 characters and no line breaks or other control characters.
Added 2 people; 8 lines were refused.
`,
    });
    expect(server.bodies.flatMap(({ members }) => members.map(({ email }) => email))).toEqual([
      'ann@example.com',
      'gus@example.com',
    ]);
  });

  it('with many wrong lines is told a thousand of them', async () => {
    const server = await startImportServer(allAdded);
    const content = `email\n${'x\n'.repeat(1_500)}ann@example.com\n`;
    const { code, stderr } = await importAt(server.url, ['-'], content);
    const lines = stderr.split('\n');
    expect([code, lines.length, lines[0], lines[999]]).toEqual([
      1,
      1_003,
      'Line 2: "x" is not an e-mail address.',
      'Line 1001: "x" is not an e-mail address.',
    ]);
    expect(lines.slice(1_000)).toEqual([
      'And 500 more lines were refused.',
      'Added 1 person; 1,500 lines were refused.',
      '',
    ]);
  });

  it('with a header alone adds nobody, and asks nothing', async () => {
    const server = await startImportServer(allAdded);
    expect(await importAt(server.url, ['-'], 'email')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Added 0 people.\n',
    });
    expect(server.bodies).toEqual([]);
  });

  it('that is refused is not waited for to its end', async () => {
    const environment = { PRESETD_URL: 'http://127.0.0.1:1', PRESETD_MANAGEMENT_KEY: key };
    const { process: child, finished } = startCommand(['member', 'import', '-'], directory.path, environment);
    child.stdin.write('name\nsomebody\n');
    expect(await finished).toMatchObject({ code: 1, stderr: expect.stringContaining('no column email') });
  });

  const rule =
    'Its first line has to name the columns: email, and as you like first_name, last_name and role.\n';

  it.each([
    ['is not there', ['no.csv'], undefined, 'no.csv cannot be read: there is no such file or folder.\n'],
    ['is a folder', ['.'], undefined, '. cannot be read: it is a folder.\n'],
    ['is empty', ['-'], '\uFEFF\n \n', `Standard input is empty. ${rule}`],
    [
      'has no header',
      ['-'],
      'ann@example.com,Ann\n',
      `Standard input begins with an e-mail address. ${rule}`,
    ],
    [
      'has no column for addresses',
      ['-'],
      'Name;Mail\nAnn;a@b.c\n',
      `Standard input has no column email, but "Name", "Mail". ${rule}`,
    ],
    ['has a column twice', ['-'], 'email,E-Mail\n', 'Standard input has the column email twice.\n'],
    [
      'is not UTF-8',
      ['-'],
      Buffer.from('email,first_name\na@b.c,J\xfcrgen\n', 'latin1'),
      'Standard input is not UTF-8, first in line 2: save it as "CSV UTF-8" in the spreadsheet, or convert it ("iconv -f windows-1252 -t utf-8").\n',
    ],
    [
      'is UTF-16',
      ['-'],
      Buffer.from('\uFEFFemail\na@b.c\n', 'utf16le'),
      'Standard input is not UTF-8, first in line 1: save it as "CSV UTF-8" in the spreadsheet, or convert it ("iconv -f utf-16 -t utf-8").\n',
    ],
    [
      'has a quotation mark without another',
      ['-'],
      'email,first_name\na@b.c,A\nb@b.c,"B\nc@b.c,C\n',
      'Standard input cannot be read from line 3 on: a quotation mark is opened there and not closed.\n',
    ],
  ])('that %s cannot be imported', async (_title, args, input, message) => {
    const server = await startImportServer(allAdded);
    expect(await importAt(server.url, args, input)).toEqual({ code: 1, stdout: '', stderr: message });
    expect(server.bodies).toEqual([]);
  });
});

describe('what the server says', () => {
  const people = file('email,first_name\na@b.c,A\n"b@b.c\n",B\n\nc@b.c,C\nd@b.c,D\n', 'four.csv');

  it('is counted, and told by line where somebody was left out', async () => {
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
      stderr: `Line 6: c@b.c is a member with another name or role.
Line 7: d@b.c is the last org:admin. Add another one first.
Added 1 person; 1 was a member already; 1 differs and was left as it is (use --update); 1 line was refused.
`,
    });
  });

  it('with --update is what it changed', async () => {
    const server = await startImportServer(() => outcomes(['updated', 'unchanged', 'updated', 'added']));
    expect(await importAt(server.url, ['--update', people])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Added 1 person; updated 2; 1 was a member already.\n',
    });
    expect(server.bodies.map(({ update_existing }) => update_existing)).toEqual([true]);
  });

  it('against some is told by line, and the others are sent without them', async () => {
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
Added 2 people; 3 lines were refused.
`,
    });
    expect(server.bodies[1]?.members.map(({ email }) => email)).toEqual(['a@b.c', 'c@b.c']);
  });

  it('is waited for while it is busy or breaks off', async () => {
    const server = await startImportServer((body, attempt) => {
      if (attempt === 1) return { status: 503, body: { error: { message: 'busy' } } };
      if (attempt === 2) return { status: 429, body: { error: { message: 'too many' } } };
      return attempt === 3 ? 'break off' : allAdded(body);
    });
    expect(await importAt(server.url, [people])).toMatchObject({ code: 0, stderr: 'Added 4 people.\n' });
    expect(server.bodies).toHaveLength(4);
  });

  it('against all of it ends the import, after what was imported', async () => {
    const lines = Array.from({ length: 1_200 }, (_, index) => `p${index}@example.com\n`);
    const server = await startImportServer((body) =>
      body.members.length === 500
        ? allAdded(body)
        : { status: 403, body: { error: { message: 'No more.' } } },
    );
    expect(await importAt(server.url, ['-'], `email\n${lines.join('')}`)).toEqual({
      code: 3,
      stdout: '',
      stderr: `Added 1,000 people. What was imported stays, and it is safe to import the file again.
Lines 1002 to 1201 could not be imported: No more.
`,
    });
  });

  it('against the key is told with the setting that the key is from', async () => {
    const server = await startImportServer(() => ({ status: 401, body: { error: { message: 'No.' } } }));
    const { stderr } = await importAt(server.url, ['-'], 'email\nx\na@b.c\n');
    expect(stderr).toBe(
      `Line 2: "x" is not an e-mail address.\nLine 3 could not be imported: The server at ${server.url} refuses the key in PRESETD_MANAGEMENT_KEY: No.\n`,
    );
  });
});
