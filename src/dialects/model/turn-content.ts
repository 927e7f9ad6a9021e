/** Shared by the writers of turns, mostly to report losses. */

import { isJsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { type Block, type Content, type Extras, pickExtras, type WrittenContent } from './content.ts';
import type { Turn, TurnBlock } from './turns.ts';

/** Paths in the source of everything that a writer could not express. */
export type DroppedPaths = Set<string>;

/** The blocks of a turn whose content may be a string, which is short for one text. */
export function blocksOf({ content, extras }: Turn): readonly TurnBlock[] {
  return typeof content === 'string' ? [textBlock(content, extras.dialect)] : content;
}

export function textBlock(text: string, dialect: Dialect): Block {
  return { kind: 'text', text, extras: { dialect, fields: {} } };
}

/** The path of the list that the content of a turn was in. */
export function contentPath({ path }: Turn): string {
  return path === 'system' ? path : `${path}.content`;
}

/** Reports what writing a content lost. A block that was lost as a whole is named by its type. */
export function reportContent(
  { dropped: parts }: WrittenContent,
  content: Content,
  path: string,
  dropped: DroppedPaths,
): void {
  for (const part of parts) {
    const [index, ...names] = part.split('.');
    const block = typeof content === 'string' ? undefined : content[Number(index)];
    const name = names.length > 0 || block === undefined ? names.join('.') : blockType(block);
    const isItem = block?.kind === 'native' && block.isItem === true;
    const place = isItem ? path.replace(/\.content$/, '') : `${path}.*`;
    dropped.add(name === '' ? place : `${place}.${name}`);
  }
}

/** The type that a block had in its source; empty if it had none. */
export function blockType(block: Block): string {
  if (block.kind !== 'native') return block.extras.type ?? block.kind;
  const type = isJsonObject(block.part) ? block.part.type : undefined;
  return typeof type === 'string' ? type : '';
}

/** The extras of a turn or block to write, all of them or none. Reports those of other dialects. */
export function ownExtras(
  { extras, path }: { readonly extras: Extras; readonly path: string },
  dialect: Dialect,
  dropped: DroppedPaths,
): Extras['fields'] {
  const { dialect: from, fields } = extras;
  return pickExtras({ dialect: from, fields }, dialect, [], (name) => dropped.add(`${path}.${name}`));
}
