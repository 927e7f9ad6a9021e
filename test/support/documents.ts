import { globSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** Every page that people read, as a path from the root of the repository. */
export const allDocuments: readonly string[] = globSync(
  ['*.md', 'docs/*.md', 'docs/clients/*.md', 'docs/decisions/*.md'],
  { cwd: root },
).sort();

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

export function documentUrl(document: string): URL {
  return new URL(document, root);
}

export function readDocument(document: string): string {
  return readFileSync(documentUrl(document), 'utf8');
}

/** The fenced blocks of a page, in order. */
export function codeBlocksOf(document: string): readonly CodeBlock[] {
  return [...readDocument(document).matchAll(/^```(\w+)\n(.*?)^```/gms)].map(
    ([, language = '', text = '']) => ({ language, text }),
  );
}

/** The anchors that GitHub gives the headings of a page. */
export function anchorsOf(document: string): readonly string[] {
  const prose = readDocument(document).replaceAll(/^```.*?^```/gms, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
