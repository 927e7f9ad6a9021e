import { isJsonObject } from '../json-object.ts';
import { parsePart } from '../responses/content.ts';
import type { Block } from '../translate/content.ts';

/**
 * The blocks of an OpenAI input item, which may be the value of a variable. It replaces a content
 * part that consists of nothing but the variable; `writeContent` of a dialect writes the blocks.
 * Returns undefined for any other value, and for an item that is not valid.
 */
export function contentItemToBlocks(item: unknown): readonly Block[] | undefined {
  if (!isJsonObject(item) || !itemTypes.includes(item.type)) return undefined;
  const block = parsePart(item);
  return block.kind === 'native' ? undefined : [block];
}

const itemTypes: readonly unknown[] = ['input_text', 'input_image', 'input_file'];
