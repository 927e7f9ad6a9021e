import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lexer, type Token, type Tokens, walkTokens } from 'marked';
import type { Plugin } from 'vite';

/**
 * Compiles the documentation into the dashboard, so that every server has the guides of its version,
 * also without internet. `virtual:guides` lists them; each is a module of its own that is loaded when
 * somebody reads it. `virtual:guide-sections` has their plain text, to search in. They are data instead of HTML, because the content security policy of the
 * dashboard allows none to be inserted.
 */
export function guides(): Plugin {
  const list = 'virtual:guides';
  const sections = 'virtual:guide-sections';
  const prefix = 'virtual:guide/';
  return {
    name: 'guides',
    resolveId: (id) => (id === list || id === sections || id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${list}`) return listModule(prefix);
      if (id === `\0${sections}`) return `export const sections = ${JSON.stringify(sectionsOfAll())};`;
      if (!id.startsWith(`\0${prefix}`)) return undefined;
      const file = id.slice(prefix.length + 1);
      this.addWatchFile(fileURLToPath(new URL(file, docs)));
      return `export default ${JSON.stringify(parseGuide(file))};`;
    },
  };
}

const docs = new URL('../docs/', import.meta.url);

function listModule(prefix: string): string {
  const entries = listedFiles().map(({ file, place }) => {
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

/** In the order in which to read them. */
function listedFiles(): readonly { readonly file: string; readonly place: Place | undefined }[] {
  const places = placesInList();
  return globSync('{,clients/}*.md', { cwd: fileURLToPath(docs) })
    .sort()
    .map((file) => ({ file, place: places.get(nameOf(file)) }))
    .toSorted((one, other) => (one.place?.index ?? places.size) - (other.place?.index ?? places.size));
}

/** Without the first page, which only lists the others. */
function sectionsOfAll() {
  return listedFiles()
    .filter(({ file }) => file !== 'README.md')
    .flatMap(({ file }) => {
      const [first, ...parts] = parseGuide(file);
      const title = first?.type === 'heading' ? plain(first.text) : '';
      const found = [{ name: nameOf(file), id: '', title, heading: '', text: '' }];
      for (const part of parts) {
        const last = found.at(-1);
        if (part.type === 'heading')
          found.push({
            name: nameOf(file),
            id: (part as HeadingWithId).id,
            title,
            heading: plain(part.text),
            text: '',
          });
        else if (last !== undefined) last.text = `${last.text} ${textOf(part)}`.trim();
      }
      return found;
    });
}

/** What a reader sees of a part. */
function textOf(part: Token): string {
  const { type, text = '', tokens, items, header = [], rows = [] } = part as Partial<Tokens.Generic>;
  const parts: readonly Token[] | undefined =
    type === 'table' ? [...header, ...rows.flat()] : (items ?? tokens);
  const isBlock = type === 'table' || type === 'list' || type === 'list_item' || type === 'blockquote';
  const found = parts === undefined ? text : parts.map(textOf).join(isBlock ? ' ' : '');
  return found.replaceAll(/\s+/g, ' ');
}

type HeadingWithId = Tokens.Heading & { id: string };

function plain(text: string): string {
  return text.replaceAll('`', '');
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
    if (token.type === 'heading') (token as HeadingWithId).id = anchorOf(token.text);
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
    token.type === 'heading' ? [{ id: String((token as HeadingWithId).id), text: plain(token.text) }] : [],
  );
}
