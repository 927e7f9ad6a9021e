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

/** Parses the subset of curl that the documents use, so that curl is not required. */
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

/**
 * Replaces IDs, times and users, which differ from run to run. Everything else must be as
 * documented.
 */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/user_[0-9a-f]{32}/g, '<user>')
    .replaceAll(/"[\w-]+…[\w-]+"/g, '"<label>"')
    .replaceAll(/sk-pst-v1-[0-9a-f]{64}/g, '<secret>');
  return JSON.parse(text);
}

/** Maps each ID in a documented response to the real one, for commands that use it later. */
function learnIds(shown: unknown, real: unknown, ids: Map<string, string>): void {
  if (typeof shown === 'string' && typeof real === 'string' && /^(user_)?[0-9a-f-]{32,36}$/.test(shown))
    ids.set(shown, real);
  if (typeof shown !== 'object' || shown === null || typeof real !== 'object' || real === null) return;
  for (const [key, value] of Object.entries(shown))
    learnIds(value, (real as Readonly<Record<string, unknown>>)[key], ids);
}

/** A file that a document tells the reader to create. */
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

  const localize = (text: string) =>
    text
      .replaceAll(documented, server.url)
      .replaceAll('$PRESETD_API_KEY', apiKey)
      .replaceAll('$PRESETD_MANAGEMENT_KEY', managementKey);

  it(`the curl examples in ${document} return the documented responses`, async () => {
    let shown = 0;
    const ids = new Map<string, string>();
    for (const [index, block] of blocks.entries()) {
      if (!block.text.startsWith('curl')) continue;
      const command = [...ids].reduce(
        (text, [documentedId, realId]) => text.replaceAll(documentedId, realId),
        localize(block.text),
      );
      const { url, init } = parseCurl(command);
      const response = await fetch(url, init);
      const body = await response.text();
      const next = blocks[index + 1];
      if (next?.language === 'json') {
        const expected = JSON.parse(next.text.replaceAll(documentedUpstream, upstream.url));
        expect(comparable(JSON.parse(body))).toEqual(comparable(expected));
        learnIds(expected, JSON.parse(body), ids);
        shown += 1;
      } else expect([block.text, response.ok, body]).toEqual([block.text, true, body]);
    }
    expect(shown).toBeGreaterThan(1);
  });

  it(`the programs in ${document} run with the official SDKs`, async () => {
    const shown = blocks.filter(({ language }) => language === 'ts');
    expect(shown).toHaveLength(programs);
    for (const [index, block] of shown.entries()) {
      // In this directory, so that imports of the SDKs resolve.
      const file = new URL(`.documented-${index}.ts`, import.meta.url);
      writeFileSync(file, localize(block.text));
      try {
        const env = { ...process.env, PRESETD_API_KEY: apiKey };
        const { stdout } = await execFileInTest(process.execPath, [fileURLToPath(file)], { env });
        // A version number, or the text of a model.
        expect(stdout).toMatch(/^\d+\n$|"version":\d+|\w/);
      } finally {
        rmSync(file);
      }
    }
  });

  it(`the commands in ${document} work`, async () => {
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
      const unexpected = stderr.replace(/^(Created|Detected|Version|Exported|Read|Added) .*\n/gm, '');
      expect([line, code, unexpected]).toEqual([line, 0, '']);
    }
  });

  it(`the links in ${document} lead to existing files`, () => expectLinks(document));
});

describe('docs/security.md', () => {
  it.each(['docs/security.md', 'SECURITY.md'])('the links in %s lead to existing files', expectLinks);

  it('every claim in the tables of docs/security.md links to a test', () => {
    const lines = readFileSync(new URL('docs/security.md', root), 'utf8').split('\n');
    const rows = lines.filter((line) => line.startsWith('| ') && !line.endsWith('| Test |'));
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter((line) => !/\.test\.ts\)[^|]*\|$/.test(line))).toEqual([]);
  });
});

function expectLinks(document: string): void {
  const text = readFileSync(new URL(document, root), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)];
  expect(links.length).toBeGreaterThan(0);
  for (const [, link = ''] of links)
    expect(() => readFileSync(new URL(link, new URL(document, root))), link).not.toThrow(/ENOENT/);
}
