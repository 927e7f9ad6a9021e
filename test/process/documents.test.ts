import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseJsonWithComments } from 'jsonc-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientSettings } from '../../src/config/client-config.ts';
import { settings } from '../../src/config/server-config.ts';
import { createWorkingDirectory } from '../support/command.ts';
import {
  allDocuments,
  anchorsOf,
  type CodeBlock,
  codeBlocksOf,
  documentUrl,
  readDocument,
} from '../support/documents.ts';
import { runCommand } from '../support/run-command.ts';
import { runProgram } from '../support/run-program.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';

const documentedServer = 'http://127.0.0.1:7778';
const documentedUpstream = 'https://openrouter.ai/api/v1';

/**
 * Pages that run against a server and a database of their own, block by block, in the order a
 * reader meets them. The counts fail when an edit turns a block into one that no longer runs.
 */
const pages = [
  { document: 'README.md', requests: 5, commands: 0, programs: 0 },
  { document: 'docs/getting-started.md', requests: 1, commands: 4, programs: 1 },
  { document: 'docs/demo.md', requests: 0, commands: 0, programs: 0 },
  { document: 'docs/capture.md', requests: 6, commands: 2, programs: 0 },
  { document: 'docs/capture-sdk.md', requests: 0, commands: 0, programs: 3 },
  { document: 'docs/gateway.md', requests: 6, commands: 0, programs: 3 },
  { document: 'docs/clients/openai-sdk.md', requests: 0, commands: 0, programs: 1 },
  { document: 'docs/clients/anthropic-sdk.md', requests: 0, commands: 0, programs: 1 },
  { document: 'docs/clients/ai-sdk.md', requests: 0, commands: 0, programs: 3 },
  { document: 'docs/versions.md', requests: 12, commands: 10, programs: 0 },
  { document: 'docs/variables.md', requests: 2, commands: 0, programs: 0 },
  { document: 'docs/openai-prompts.md', requests: 0, commands: 3, programs: 1 },
  { document: 'docs/presets.md', requests: 13, commands: 16, programs: 0 },
  { document: 'docs/cases.md', requests: 5, commands: 3, programs: 0 },
  { document: 'docs/sign-in.md', requests: 0, commands: 5, programs: 0 },
  { document: 'docs/organization.md', requests: 1, commands: 10, programs: 0 },
  { document: 'docs/keys.md', requests: 4, commands: 6, programs: 0 },
  { document: 'docs/members.md', requests: 5, commands: 8, programs: 0 },
  { document: 'docs/usage.md', requests: 2, commands: 4, programs: 0 },
  { document: 'docs/content-log.md', requests: 0, commands: 1, programs: 0 },
  { document: 'docs/audit.md', requests: 3, commands: 2, programs: 0 },
  { document: 'docs/api.md', requests: 2, commands: 0, programs: 0 },
] as const;

/** Shell blocks of these pages that only a reader runs. */
const notRun = [
  /^npm ci && npm (start|test|run demo)\n$/,
  // Keys that the first start printed.
  /^(export PRESETD_\w+=sk-pst-v1-\w+…\n)+$/,
  // Servers, which do not end by themselves.
  /^\w+=\S+ npm start\n$/,
  /^presetd demo\n$/,
  // test/process/package.test.ts does both.
  /^npm install -g \S+\npresetd serve\n$/,
];

type Step =
  | { readonly kind: 'request'; readonly command: string; readonly shown: CodeBlock | undefined }
  | { readonly kind: 'command'; readonly line: string; readonly shown: CodeBlock | undefined }
  | { readonly kind: 'file'; readonly name: string; readonly content: string }
  | { readonly kind: 'program'; readonly text: string }
  | { readonly kind: 'not recognized'; readonly text: string };

describe.each(pages)('$document', ({ document, ...counts }) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  const directory = createWorkingDirectory();
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startTestServer('sqlite', {
      PRESETD_UPSTREAM_URL: upstream.url,
      OPENROUTER_API_KEY: 'sk-or-v1-documented',
    });
    // Pages about clients call the preset of docs/gateway.md.
    if (document.startsWith('docs/clients/'))
      await server.post('/api/v1/presets/parcel-bot/chat/completions', {
        model: 'openai/gpt-5',
        messages: [{ role: 'system', content: 'You answer for Acme. Be brief and kind.' }],
      });
    // The key of docs/keys.md is limited to a preset.
    if (document === 'docs/keys.md')
      await server.post('/api/v1/presets/support-bot/responses', { model: 'openai/gpt-5' });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    directory.remove();
  });

  it(`every request, command and program in ${document} works as shown`, async () => {
    const steps = stepsOf(codeBlocksOf(document));
    expect(steps.filter(({ kind }) => kind === 'not recognized')).toEqual([]);
    const countOf = (stepKind: Step['kind']) => steps.filter(({ kind }) => kind === stepKind).length;
    expect({
      requests: countOf('request'),
      commands: countOf('command'),
      programs: countOf('program'),
    }).toEqual(counts);

    const documentedIds = new Map<string, string>();
    for (const step of steps) {
      if (step.kind === 'file') writeFileSync(join(directory.path, step.name), step.content);
      else if (step.kind === 'request') await performRequest(step.command, step.shown, documentedIds);
      else if (step.kind === 'command') await performCommand(step.line, step.shown);
      else if (step.kind === 'program') await performProgram(step.text);
    }
  });

  const withTestServer = (text: string) =>
    text
      .replaceAll(documentedServer, server.url)
      .replaceAll('$PRESETD_API_KEY', apiKey)
      .replaceAll('$PRESETD_MANAGEMENT_KEY', managementKey);

  async function performRequest(command: string, shown: CodeBlock | undefined, ids: Map<string, string>) {
    const withRealIds = [...ids].reduce((text, [id, real]) => text.replaceAll(id, real), command);
    const { url, init } = parseCurl(withTestServer(withRealIds));
    const response = await fetch(url, init);
    const text = await response.text();
    if (shown === undefined) {
      expect({ command, ok: response.ok, text }).toEqual({ command, ok: true, text });
      return;
    }
    const expected = parseJsonWithComments(shown.text.replaceAll(documentedUpstream, upstream.url));
    const real = JSON.parse(text);
    if (shown.language === 'json') expect(comparable(real)).toEqual(comparable(expected));
    // Shortened: comments stand for the rest.
    else expect(comparable(real)).toMatchObject(comparable(expected));
    learnIds(expected, real, ids);
  }

  async function performCommand(line: string, shown: CodeBlock | undefined) {
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    const { code, stdout, stderr } = await runCommand(args.slice(1), directory.path, {
      DATABASE_URL: server.database.url,
      PRESETD_URL: server.url,
      PRESETD_API_KEY: apiKey,
      PRESETD_MANAGEMENT_KEY: managementKey,
    });
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr });
    if (shown !== undefined) expect(stdout).toBe(shown.text);
  }

  async function performProgram(text: string) {
    const output = await runProgram(withTestServer(text), { PRESETD_API_KEY: apiKey });
    // The number of a version, a preset as JSON, or the words of a model.
    expect(output).toMatch(/^\d+\n$|"version":\d+|\w/);
  }
});

describe('the documentation', () => {
  it('links only to files and sections that exist', () => {
    const isBroken = (document: string, path: string, anchor: string | undefined) => {
      const target = path === '' ? documentUrl(document) : new URL(path, documentUrl(document));
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchorsOf(fileURLToPath(target)).includes(anchor);
    };
    const broken = allDocuments.flatMap((document) =>
      [...readDocument(document).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)]
        .filter(([, path = '', anchor]) => isBroken(document, path, anchor))
        .map(([, path, anchor]) => `${document}: ${path}${anchor === undefined ? '' : `#${anchor}`}`),
    );
    expect(broken).toEqual([]);
  });

  const userPages = allDocuments.filter((document) => /^docs\/(clients\/)?[\w-]+\.md$/.test(document));

  it.each(['docs/', 'docs/clients/'])('has an index in %s that links to every page', (folder) => {
    const index = readDocument(`${folder}README.md`);
    const names = userPages
      .filter((document) => document.startsWith(folder))
      .map((document) => document.slice(folder.length))
      .filter((name) => !name.includes('/') && name !== 'README.md');
    expect(names.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  });

  it('runs every page that shows a request', () => {
    const showsRequest = (document: string) =>
      codeBlocksOf(document).some(({ text }) => text.startsWith('curl '));
    const run = new Set<string>(pages.map(({ document }) => document));
    expect(allDocuments.filter((document) => showsRequest(document) && !run.has(document))).toEqual([]);
  });

  it('names only settings that exist', () => {
    const known = Object.keys({ ...settings, ...clientSettings });
    for (const document of ['README.md', ...userPages]) {
      const named = [...readDocument(document).matchAll(/\bPRESETD_(?!TEST_)[A-Z_]+\b/g)].map(
        ([name]) => name,
      );
      const unknown = named.filter((name) => !known.some((setting) => setting.startsWith(name)));
      expect({ document, unknown }).toEqual({ document, unknown: [] });
    }
  });

  it('lists every command of presetd', async () => {
    const page = readDocument('docs/command-line.md');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const directory = createWorkingDirectory();
    const commandsOf = async (...parents: string[]) => {
      const { stdout } = await runCommand([...parents, '--help'], directory.path);
      const sections = stdout.matchAll(
        /^(?:Commands|Server|Presets|Account|Organization|Other):\n((?: .*\n)+)/gm,
      );
      const list = [...sections].map(([, lines]) => lines).join('');
      return [...list.matchAll(/^ {2}([a-z-]+)\b/gm)]
        .map(([, name = '']) => name)
        .filter((name) => name !== 'help');
    };
    const commands = await commandsOf();
    expect(commands).toContain('serve');
    const missing: string[] = [];
    for (const command of commands) {
      const row = rows.filter((line) => new RegExp(`\`${command}[ \`]`).test(line)).join('\n');
      if (row === '') missing.push(command);
      for (const name of await commandsOf(command))
        if (!new RegExp(`\`(?:${command} )?${name}\``).test(row)) missing.push(`${command} ${name}`);
    }
    expect(missing).toEqual([]);
  });

  it('links a test for every claim in the tables of docs/security.md', () => {
    const lines = readDocument('docs/security.md').split('\n');
    const claims = lines.filter((line) => line.startsWith('| ') && !line.endsWith('| Test |'));
    expect(claims.length).toBeGreaterThan(15);
    expect(claims.filter((line) => !/\.test\.ts\)[^|]*\|$/.test(line))).toEqual([]);
  });
});

function stepsOf(blocks: readonly CodeBlock[]): readonly Step[] {
  return blocks.flatMap(({ language, text }, index): readonly Step[] => {
    const next = blocks[index + 1];
    if (language === 'ts') return [{ kind: 'program', text }];
    if (language !== 'sh' || notRun.some((pattern) => pattern.test(text))) return [];
    if (text.startsWith('curl '))
      return [{ kind: 'request', command: text, shown: isJson(next) ? next : undefined }];
    const [, name, content] = /^cat > (\S+) <<'(?:JSON|CSV)'\n(.*)^(?:JSON|CSV)\n$/ms.exec(text) ?? [];
    if (name !== undefined && content !== undefined) return [{ kind: 'file', name, content }];
    const lines = text.trimEnd().split('\n');
    if (!lines.every((line) => line.startsWith('presetd '))) return [{ kind: 'not recognized', text }];
    return lines.map((line, number) => ({
      kind: 'command',
      line,
      shown: number === lines.length - 1 && next?.language === 'text' ? next : undefined,
    }));
  });
}

function isJson(block: CodeBlock | undefined): boolean {
  return block?.language === 'json' || block?.language === 'jsonc';
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
  if (program !== 'curl' || url === undefined) throw new Error(`cannot parse this curl command: ${command}`);
  method ??= body === undefined ? 'GET' : 'POST';
  return { url, init: { method, headers, ...(body !== undefined && { body }) } };
}

/** Ids, times and users differ from run to run; everything else must be as documented. */
function comparable(value: unknown): object {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/user_[0-9a-f]{32}/g, '<user>')
    .replaceAll(/"[\w-]+…[\w-]+"/g, '"<label>"')
    .replaceAll(/sk-pst-v1-[0-9a-f]{64}/g, '<secret>');
  return JSON.parse(text);
}

/** Maps ids in the responses of a page to those of this run, because later requests use them. */
function learnIds(shown: unknown, real: unknown, ids: Map<string, string>): void {
  if (typeof shown === 'string' && typeof real === 'string' && /^(user_)?[0-9a-f-]{32,36}$/.test(shown))
    ids.set(shown, real);
  if (typeof shown !== 'object' || shown === null || typeof real !== 'object' || real === null) return;
  for (const [key, value] of Object.entries(shown))
    learnIds(value, (real as Readonly<Record<string, unknown>>)[key], ids);
}
