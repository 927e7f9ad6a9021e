import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { contract } from './api/contract.ts';
import { headerNames } from './core/header-names.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const filesIn = (...patterns: readonly string[]) => globSync(patterns, { cwd: root }).toSorted();

const foldersIn = (path: string) =>
  readdirSync(`${root}${path}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
const folders = [...foldersIn('.'), ...foldersIn('src')].join('|');

/** A path in one of our folders. The lookarounds skip URLs, absolute paths and `<placeholders>`. */
const ourPath = new RegExp(`(?<![\\w/.-])(?:${folders})\\/[\\w*./-]*(?:\\.\\w+|\\/)(?![\\w<-])`, 'g');

/** Documents write paths from the root of the repository or from `src/`. */
const exists = (path: string) =>
  ['', 'src/'].some((folder) =>
    path.includes('*') ? filesIn(`${folder}${path}`).length > 0 : existsSync(`${root}${folder}${path}`),
  );

const developerDocuments = filesIn('ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/decisions/*.md');

it('developer documents name only files and folders that exist', () => {
  const missing = developerDocuments.flatMap((document) =>
    [...textOf(document).matchAll(ourPath)]
      .filter(([path]) => !exists(path))
      .map(([path]) => `${document}: ${path}`),
  );
  expect(missing).toEqual([]);
});

it('developer documents name only functions and variables that exist', () => {
  const sources = filesIn('{src,dashboard/src,test}/**/*.{ts,tsx}').filter(
    (path) => !path.endsWith('documents.test.ts'),
  );
  const code = sources.map(textOf).join('\n');
  const missing = developerDocuments.flatMap((document) =>
    [...textOf(document).matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g)]
      .filter(([, name = '']) => !code.includes(name))
      .map(([, name]) => `${document}: ${name}`),
  );
  expect(missing).toEqual([]);
});

it('developer documents name only what the file they mention contains', () => {
  const missing = developerDocuments.flatMap((document) =>
    [...textOf(document).matchAll(/`'?(\w+)'?`\s+(?:in|of)\s+`([\w./-]+\.tsx?)`/g)]
      .filter(([, , path = '']) => existsSync(`${root}${path}`))
      .filter(([, name = '', path = '']) => !textOf(path).includes(name))
      .map(([mention]) => `${document}: ${mention}`),
  );
  expect(missing).toEqual([]);
});

it('ARCHITECTURE.md lists every table, and none that does not exist', () => {
  const [, database = ''] = textOf('ARCHITECTURE.md').split('## The database');
  const [, list = ''] = database.split('\n\n');
  const listed = [...list.matchAll(/`(\w+)`/g)].map(([, table]) => table);
  const sql = filesIn('migrations/sqlite/*.sql').map(textOf).join('\n');
  // The code that runs migrations creates the first one.
  const tables = ['schema_migrations', ...[...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name)];
  expect(tables.length).toBeGreaterThan(30);
  expect(listed.toSorted()).toEqual(tables.toSorted());
});

it('ARCHITECTURE.md lists every folder of the gateway', () => {
  const [, gateway = ''] = textOf('ARCHITECTURE.md').split(/^ {2}gateway\//m);
  const [lines = ''] = gateway.split(/^ {2}\w/m);
  const listed = [...lines.matchAll(/^ {4}(\w.*?) {2}/gm)].flatMap(([, names = '']) => names.split(', '));
  expect(listed.toSorted()).toEqual(
    foldersIn('src/gateway')
      .map((name) => `${name}/`)
      .toSorted(),
  );
});

it('the documentation mentions every header', () => {
  const text = filesIn('docs/*.md').map(textOf).join('\n');
  const missing = Object.values(headerNames).filter(
    (name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text),
  );
  expect(missing).toEqual([]);
});

it('docs/api.md lists every operation', () => {
  const cells = [...textOf('docs/api.md').matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
  const listed = cells.flatMap(operationsIn);
  const missing = Object.keys(contract).filter((route) => !listed.some((pattern) => pattern.test(route)));
  expect(missing).toEqual([]);
});

/**
 * Patterns of the routes in a cell such as "`GET`, `PUT /a/{id}`, `…/{id}/b`". The dots stand for a
 * beginning of the path before, or of a preset's. Without a method, a path includes those below it.
 */
function operationsIn(cell: string): readonly RegExp[] {
  let methods = '';
  let base = '/presets/:slug';
  const spans = cell.matchAll(/((?:`?[A-Z]+`?(?:, | and )?)*)[ `]*(…|\/api\/v1)([^`]*)`/g);
  return [...spans].map(([, named = '', start, path = '']) => {
    methods = named.match(/[A-Z]+/g)?.join('|') ?? methods;
    const rest = path.replaceAll(/\{\w+\}/g, ':\\w+').replaceAll('*', '.+');
    const beginnings = base.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
    if (start !== '…') base = rest;
    const prefix = start === '…' ? `(?:${beginnings.join('|')})` : '';
    return new RegExp(methods === '' ? `^\\w+ ${prefix}${rest}(/|$)` : `^(?:${methods}) ${prefix}${rest}$`);
  });
}

/**
 * Phrases that read like a literal translation, with what to write instead. cspell cannot match
 * phrases; cspell.config.yaml lists single words.
 */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(?:is|are|was|were|be|been) told\b(?! apart)/i, 'returns, logs, reports, says'],
  [/\bWhoever\b/, 'name the subject: "A client that …"'],
  [/\bseldom\b/i, 'rarely'],
  [/\bbe it\b/i, 'whether, even if'],
  [/\blets? go of\b/i, 'releases, drops, evicts'],
  [/\b(?:leaves?|left) \w* ?alone\b/i, 'skips, ignores'],
  [/\bunder way\b/i, 'in flight, in progress'],
  [/\bin the place of\b/i, 'replaces, instead of'],
  [/\bwhere there (?:is|are) none\b/i, 'if there is none'],
  [/\bcomes? to pass\b/i, 'happens'],
  [/\b(?:goes|go|went) on to be\b/i, 'is still, continues to be'],
  [/\b(?:inside|outside) of\b(?! a range)/i, 'inside, outside'],
  [/\banother one than\b/i, 'a different one'],
  [/\breplaced? \w+ by\b/i, 'replace … with'],
  [/\bstart(?:s|ed) again\b/i, 'resets, resumes, restarts'],
];

it('documents, messages and comments use plain English', () => {
  const documents = filesIn(
    '*.md',
    'docs/**/*.md',
    'deploy/*',
    '{src,dashboard/src,test}/**/*.{ts,tsx}',
  ).filter(
    // The phrases above, and text from other software.
    (path) => !/^src\/documents\.test\.ts|^test\/(?:compat\/captured|support\/wire)/.test(path),
  );
  const found = documents.flatMap((document) => {
    const text = textOf(document).replaceAll(/\s+/g, ' ');
    return phrases
      .map(([phrase, instead]) => [phrase.exec(text)?.[0], instead] as const)
      .filter(([phrase]) => phrase !== undefined)
      .map(([phrase, instead]) => `${document}: "${phrase}" (write: ${instead})`);
  });
  expect(found).toEqual([]);
});

it('lines of documents have at most 100 characters, except tables, code, pictures and links', () => {
  const long = filesIn('*.md', 'docs/**/*.md').flatMap((document) =>
    textOf(document)
      .replaceAll(/^ *```.*?^ *```/gms, (code) => code.replaceAll(/[^\n]/g, ''))
      .split('\n')
      .map((line, at) => ({ line, place: `${document}:${at + 1}` }))
      .filter(({ line }) => line.length > 100 && !/^(?:\||!\[|\[!)|\S{60}/.test(line.trim()))
      .map(({ place }) => place),
  );
  expect(long).toEqual([]);
});
