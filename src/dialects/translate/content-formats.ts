import type { Dialect } from '../../core/presets/preset.ts';
import * as chatCompletions from '../chat-completions/content.ts';
import * as messages from '../messages/content.ts';
import * as responses from '../responses/content.ts';
import type { Block, Content, Role, WrittenContent } from './content.ts';

/** How a dialect expresses the content of messages. */
export interface ContentFormat {
  readonly parseContent: (content: unknown) => Content;
  /** Parses one part of the content. */
  readonly parsePart: (part: unknown) => Block;
  readonly writeContent: (content: Content, role: Role) => WrittenContent;
}

export const contentFormats: Readonly<Record<Dialect, ContentFormat>> = {
  'chat-completions': chatCompletions,
  messages,
  responses,
};
