import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory, runCommand } from '../support/command.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { execFileInTest } from '../support/test-scope.ts';

const root = new URL('../../', import.meta.url);
const documented = 'http://127.0.0.1:7778';
const documentedUpstream = 'https://openrouter.ai/api/v1';

interface Block {
  readonly language: string;
  readonly text: string;
}

function blocksOf(document: string): readonly Block[] {
  const text = readFileSync(new URL(document, root), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

/** Understands just the curl lines that the documents use, so that no curl is needed. */
function parseCurl(command: string): { url: string; init: RequestInit } {
  const joined = command.replaceAll('\\\n', ' ');
  const words = [...joined.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
  const [program, ...rest] = words;
  const headers: Record<string, string> = {};
  let url: string | undefined;
  let body: string | undefined;
  let method: string | undefined;
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (word === '-d') body = rest.shift();
    else if (word === '-X') method = rest.shift() ?? '';
    else if (word === '-H') {
      const [name = '', value = ''] = rest.shift()?.split(': ') ?? [];
      headers[name] = value;
    } else if (word.startsWith('http') && url === undefined) url = word;
    else throw new Error(`unknown option ${word}`);
  }
  if (program !== 'curl' || url === undefined) throw new Error(`not a curl line of ours: ${command}`);
  method ??= body === undefined ? 'GET' : 'POST';
  return { url, init: { method, headers, ...(body !== undefined && { body }) } };
}

/** Ids, times and users differ from run to run; everything else must be as documented. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/user_[0-9a-f]{32}/g, '<user>')
    .replaceAll(/"[\w-]+…[\w-]+"/g, '"<label>"')
    .replaceAll(/sk-pst-v1-[0-9a-f]{64}/g, '<secret>');
  return JSON.parse(text);
}

/** What stands in a shown answer and is another at every run, with what it was at this one. */
function learnNames(shown: unknown, real: unknown, names: Map<string, string>): void {
  if (typeof shown === 'string' && typeof real === 'string' && /^(user_)?[0-9a-f-]{32,36}$/.test(shown))
    names.set(shown, real);
  if (typeof shown !== 'object' || shown === null || typeof real !== 'object' || real === null) return;
  for (const [key, value] of Object.entries(shown))
    learnNames(value, (real as Readonly<Record<string, unknown>>)[key], names);
}

/** A file that a document has the reader write. */
const heredoc = /^cat > (\S+) <<'(?:JSON|CSV)'\n(.*?)^(?:JSON|CSV)$/gms;

describe.each([
  { document: 'README.md', programs: 6, commands: 21 },
  { document: 'docs/api.md', programs: 0, commands: 0 },
  { document: 'docs/gateway.md', programs: 0, commands: 0 },
  { document: 'docs/organization.md', programs: 0, commands: 0 },
])('$document', ({ document, programs, commands }) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  const directory = createWorkingDirectory();
  const blocks = blocksOf(document);
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startTestServer('sqlite', {
      PRESETD_UPSTREAM_URL: upstream.url,
      OPENROUTER_API_KEY: 'sk-or-v1-documented',
    });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    directory.remove();
  });

  const here = (text: string) =>
    text
      .replaceAll(documented, server.url)
      .replaceAll('$PRESETD_API_KEY', apiKey)
      .replaceAll('$PRESETD_MANAGEMENT_KEY', managementKey);

  it('shows curl lines that work, and their real answers', async () => {
    let shown = 0;
    const names = new Map<string, string>();
    for (const [index, block] of blocks.entries()) {
      if (!block.text.startsWith('curl')) continue;
      const command = [...names].reduce(
        (text, [name, real]) => text.replaceAll(name, real),
        here(block.text),
      );
      const { url, init } = parseCurl(command);
      const response = await fetch(url, init);
      const answer = await response.text();
      const next = blocks[index + 1];
      if (next?.language === 'json') {
        const expected = JSON.parse(next.text.replaceAll(documentedUpstream, upstream.url));
        expect(comparable(JSON.parse(answer))).toEqual(comparable(expected));
        learnNames(expected, JSON.parse(answer), names);
        shown += 1;
      } else expect([block.text, response.ok, answer]).toEqual([block.text, true, answer]);
    }
    expect(shown).toBeGreaterThan(1);
  });

  it('shows programs that run with the official SDKs', async () => {
    const shown = blocks.filter(({ language }) => language === 'ts');
    expect(shown).toHaveLength(programs);
    for (const [index, block] of shown.entries()) {
      // Beside our own files, so that the SDKs are found.
      const file = new URL(`.documented-${index}.ts`, import.meta.url);
      writeFileSync(file, here(block.text));
      try {
        const env = { ...process.env, PRESETD_API_KEY: apiKey };
        const { stdout } = await execFileInTest(process.execPath, [fileURLToPath(file)], { env });
        // A version that was made, or what a model said.
        expect(stdout).toMatch(/^\d+\n$|"version":\d+|\w/);
      } finally {
        rmSync(file);
      }
    }
  });

  it('shows commands that work', async () => {
    const lines = blocks
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => line.startsWith('npm exec presetd -- '));
    expect(lines).toHaveLength(commands);
    for (const [, file = '', content = ''] of blocks.flatMap(({ text }) => [...text.matchAll(heredoc)]))
      writeFileSync(join(directory.path, file), content);
    for (const line of lines) {
      const args = [...line.slice('npm exec presetd -- '.length).matchAll(/"([^"]*)"|(\S+)/g)];
      const { code, stderr } = await runCommand(
        args.map(([, quoted, bare]) => quoted ?? bare ?? ''),
        directory.path,
        {
          DATABASE_URL: server.database.url,
          PRESETD_URL: server.url,
          PRESETD_API_KEY: apiKey,
          PRESETD_MANAGEMENT_KEY: managementKey,
        },
      );
      const unexpected = stderr.replace(/^(Made|Recognized|Version|Exported|Read|Added) .*\n/gm, '');
      expect([line, code, unexpected]).toEqual([line, 0, '']);
    }
  });

  it('links to files that exist', () => expectLinks(document));
});

describe('docs/security.md', () => {
  it.each(['docs/security.md', 'SECURITY.md'])('links to files that exist: %s', expectLinks);

  it('has a test for every line of its tables', () => {
    const lines = readFileSync(new URL('docs/security.md', root), 'utf8').split('\n');
    const told = lines.filter((line) => line.startsWith('| ') && !line.endsWith('| Test |'));
    expect(told.length).toBeGreaterThan(15);
    expect(told.filter((line) => !/\.test\.ts\)[^|]*\|$/.test(line))).toEqual([]);
  });
});

function expectLinks(document: string): void {
  const text = readFileSync(new URL(document, root), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)];
  expect(links.length).toBeGreaterThan(0);
  for (const [, link = ''] of links)
    expect(() => readFileSync(new URL(link, new URL(document, root))), link).not.toThrow(/ENOENT/);
}
