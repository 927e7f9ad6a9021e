import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lexer, type Token, type Tokens, walkTokens } from 'marked';
import type { Plugin } from 'vite';

/**
 * Compiles the documentation into the dashboard, so that every server has the guides of its version,
 * also without internet. `virtual:guides` lists them; each is a module of its own that is loaded when
 * somebody reads it. They are data instead of HTML, because the content security policy of the
 * dashboard allows none to be inserted.
 */
export function guides(): Plugin {
  const list = 'virtual:guides';
  const prefix = 'virtual:guide/';
  return {
    name: 'guides',
    resolveId: (id) => (id === list || id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${list}`) return listModule(prefix);
      if (!id.startsWith(`\0${prefix}`)) return undefined;
      const file = id.slice(prefix.length + 1);
      this.addWatchFile(fileURLToPath(new URL(file, docs)));
      return `export default ${JSON.stringify(parseGuide(file))};`;
    },
  };
}

const docs = new URL('../docs/', import.meta.url);

function listModule(prefix: string): string {
  const places = placesInList();
  const entries = globSync('{,clients/}*.md', { cwd: fileURLToPath(docs) })
    .sort()
    .map((file) => ({ file, place: places.get(nameOf(file)) }))
    .toSorted((one, other) => (one.place?.index ?? places.size) - (other.place?.index ?? places.size))
    .map(({ file, place }) => {
      const headings = headingsOf(parseGuide(file));
      const [title, ...others] = headings;
      const guide = {
        name: nameOf(file),
        title: title?.text,
        section: sectionOf(file, place),
        headings: others,
      };
      return `{ ...${JSON.stringify(guide)}, load: async () => (await import('${prefix}${file}')).default }`;
    });
  return `export const guides = [${entries.join(',')}];`;
}

/** The introduction of the first page names where to start. */
function sectionOf(file: string, place: Place | undefined): string {
  if (place !== undefined) return place.section ?? 'Start here';
  return file.startsWith('clients/') ? 'Clients' : 'More';
}

interface Place {
  readonly index: number;
  /** Undefined in the introduction. */
  readonly section: string | undefined;
}

/** The first page lists the guides under headings, in the order in which to read them. */
function placesInList(): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let section: string | undefined;
  for (const token of parseGuide('README.md')) {
    if (token.type === 'heading') section = token.depth === 1 ? undefined : token.text;
    walkTokens([token], (part) => {
      const name = /^\/guides\/([^#]+)/.exec(part.type === 'link' ? part.href : '')?.[1];
      // The introduction links some of those that the list has, too.
      if (name === undefined || (places.has(name) && places.get(name)?.section !== undefined)) return;
      places.set(name, { index: places.size, section });
    });
  }
  return places;
}

/** The address of a guide below `/guides/`; empty for the first page. */
function nameOf(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '');
}

function parseGuide(file: string): readonly Token[] {
  const tokens = lexer(readFileSync(new URL(file, docs), 'utf8'));
  const counts = { code: 0, table: 0 };
  walkTokens(tokens, (token) => {
    // Screen readers list these by name, so each needs its own.
    if (token.type === 'code' || token.type === 'table')
      Object.assign(token, { number: ++counts[token.type] });
    if (token.type === 'heading') (token as Tokens.Heading & { id: string }).id = anchorOf(token.text);
    if (token.type === 'link') token.href = addressOf(file, token.href);
  });
  return JSON.parse(JSON.stringify(tokens, withoutSource));
}

/** Tokens repeat their Markdown, which would double the size. */
function withoutSource(key: string, value: unknown): unknown {
  return key === 'raw' || value === false || value === null ? undefined : value;
}

/** As GitHub writes anchors, which links between the documents use. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Where a link leads to in the dashboard; empty if it is about the source code. */
function addressOf(from: string, href: string): string {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const file = posix.normalize(posix.join(posix.dirname(from), path));
  if (!/^(clients\/)?[\w-]+\.md$/.test(file)) return '';
  return `${posix.join('/guides', nameOf(file))}${anchor === undefined ? '' : `#${anchor}`}`;
}

function headingsOf(tokens: readonly Token[]) {
  return tokens.flatMap((token) =>
    token.type === 'heading'
      ? [{ id: String((token as Tokens.Heading & { id: string }).id), text: token.text.replaceAll('`', '') }]
      : [],
  );
}
