/**
 * Which texts of a preset are templates, next to its system prompt. Saving checks exactly these,
 * and calls render exactly these, in every dialect.
 *
 * They are found in the form in which they were saved. A translation may turn any text into another
 * kind of text: a document of messages is a text part in chat completions, and a file in responses.
 */

import { isJsonObject, type JsonObject } from '../../../core/json/json-object.ts';
import type { Dialect } from '../../../core/presets/preset.ts';
import { dialectOf } from '../../dialects.ts';
import type { Block, Content } from '../../model/content.ts';
import { contentItemToBlocks } from './content-item.ts';
import type { PresetMessage } from './messages.ts';

/** The content of a preset's message as blocks, one for each part. */
export function parseMessageContent(content: PresetMessage['content'], dialect: Dialect): Content {
  if (typeof content === 'string') return content;
  const { parsePart } = dialectOf[dialect].content;
  return content.flatMap((part) => contentItemToBlocks(part) ?? [parsePart(part)]);
}

interface BlockText {
  readonly text: string;
  /** Where the text is in the part that was saved. */
  readonly path: string;
  readonly withText: (text: string) => Block;
}

/** The template in a block: text, a refusal or a document given as text. Other blocks have none. */
export function findBlockText(block: Block): BlockText | undefined {
  if (block.kind === 'text' || block.kind === 'refusal')
    return { text: block.text, path: `/${block.kind}`, withText: (text) => ({ ...block, text }) };
  if (block.kind !== 'file' || block.source.type !== 'text') return undefined;
  const { source } = block;
  return {
    text: source.text,
    path: '/source/data',
    withText: (text) => ({ ...block, source: { ...source, text } }),
  };
}

/**
 * Replaces the description of a tool and of the tools in a namespace, in the form of any dialect.
 * Descriptions of parameters are not templates.
 */
export function mapDescriptions(
  tool: unknown,
  replace: (text: string, path: string) => string,
  path = '',
): unknown {
  if (!isJsonObject(tool)) return tool;
  for (const name of ['function', 'custom'])
    if (isJsonObject(tool[name]))
      return { ...tool, [name]: mapDescriptions(tool[name], replace, `${path}/${name}`) };
  const { description, tools } = tool;
  return {
    ...tool,
    ...(typeof description === 'string' && { description: replace(description, `${path}/description`) }),
    ...(tool.type === 'namespace' &&
      Array.isArray(tools) && {
        tools: tools.map((each, index) => mapDescriptions(each, replace, `${path}/tools/${index}`)),
      }),
  } satisfies JsonObject;
}

/** The fields of a config that are lists of tools. */
export const toolFields = ['tools', 'functions'];
