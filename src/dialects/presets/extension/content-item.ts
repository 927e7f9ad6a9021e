import { isJsonObject, type JsonObject } from '../../../core/json/json-object.ts';
import { dialectOf } from '../../dialects.ts';
import type { Block } from '../../model/content.ts';

/** An OpenAI input item: a value of prompt variables that is not a string. */
interface ContentItem extends JsonObject {
  readonly type: 'input_text' | 'input_image' | 'input_file';
}

/** Whether a value is meant as an input item. It may lack a source, or have several. */
export function isContentItem(value: unknown): value is ContentItem {
  return isJsonObject(value) && Object.hasOwn(value, 'type') && itemTypes.includes(value.type);
}

/**
 * The blocks of an OpenAI input item, which may be the value of a variable. It replaces a content
 * part that consists of nothing but the variable; `writeContent` of a dialect writes the blocks.
 * Returns undefined for any other value, and for an item that is not valid.
 */
export function contentItemToBlocks(item: unknown): readonly Block[] | undefined {
  if (!isContentItem(item)) return undefined;
  const block = dialectOf.responses.content.parsePart(item);
  return block.kind === 'native' ? undefined : [block];
}

export const itemTypes: readonly unknown[] = ['input_text', 'input_image', 'input_file'];
