import type { GuidePart } from 'virtual:guides';
import { createElement, Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { CodeBlock } from '../../components/code-block.tsx';
import {
  type Highlight,
  highlightJson,
  highlightPython,
  highlightShell,
  highlightTypescript,
  highlightYaml,
} from '../../components/code-highlight.ts';

/** Renders parts of a document. They need no keys, because a document never changes. */
export function GuideText({ parts = [] }: { readonly parts: readonly GuidePart[] | undefined }) {
  return createElement(Fragment, null, ...parts.map(render));
}

function render(part: GuidePart): ReactNode {
  const { text = '', tokens, href = '', id } = part;
  const content = tokens === undefined ? text : <GuideText parts={tokens} />;
  switch (part.type) {
    case 'space':
      return null;
    case 'heading':
      return createElement(`h${part.depth}`, { id }, content);
    case 'paragraph':
      return <p>{content}</p>;
    case 'strong':
      return <strong>{content}</strong>;
    case 'em':
      return <em>{content}</em>;
    case 'codespan':
      return <code>{text.replace(`${documentedServer}/api`, `${location.origin}/api`)}</code>;
    case 'code':
      return <Example {...part} />;
    case 'blockquote':
      return <blockquote>{content}</blockquote>;
    case 'br':
      return <br />;
    case 'link':
      return renderLink(href, content);
    case 'list':
      return createElement(
        part.ordered ? 'ol' : 'ul',
        part.ordered ? { start: part.start || 1 } : {},
        part.items?.map((item) => <li key={item.text}>{<GuideText parts={item.tokens} />}</li>),
      );
    case 'table':
      return <GuideTable {...part} />;
    default:
      return content;
  }
}

/** The address of a server that was started without settings, as documents write it. */
const documentedServer = 'http://127.0.0.1:7778';

const highlights: Readonly<Record<string, Highlight>> = {
  sh: highlightShell,
  json: highlightJson,
  jsonc: highlightTypescript,
  js: highlightTypescript,
  ts: highlightTypescript,
  python: highlightPython,
  yaml: highlightYaml,
  toml: highlightYaml,
};

/** Code calls this server. Output, which has no language of its own, stays as it is. */
function Example({ text = '', lang = '', number }: GuidePart) {
  const highlight = highlights[lang];
  return (
    <CodeBlock
      code={highlight === undefined ? text : text.replaceAll(documentedServer, location.origin)}
      label={`Example ${number}`}
      {...(highlight && { highlight })}
    />
  );
}

/** Links to the source code lead nowhere here, and stay text. */
function renderLink(href: string, content: ReactNode): ReactNode {
  if (href === '') return content;
  if (href.startsWith('/')) return <Link href={href}>{content}</Link>;
  const isExternal = !href.startsWith('#');
  return (
    <a href={href} {...(isExternal && { target: '_blank', rel: 'noreferrer' })}>
      {content}
    </a>
  );
}

function GuideTable({ header = [], rows = [], number }: GuidePart) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by keyboard.
    <section tabIndex={0} aria-label={`Table ${number}`}>
      <table>
        <thead>
          <tr>
            {header.map((cell) =>
              cell.text === '' ? (
                <td key="empty" />
              ) : (
                <th key={cell.text} scope="col">
                  <GuideText parts={cell.tokens} />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.map(({ text }) => text).join('|')}>
              {row.map((cell, index) => (
                <td key={header[index]?.text}>
                  <GuideText parts={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
