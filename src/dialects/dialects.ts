import type { CapturedPreset, Dialect } from '../core/presets/preset.ts';
import { capturePreset as fromChatCompletions } from './chat-completions/capture-preset.ts';
import * as chatCompletionsErrors from './chat-completions/errors.ts';
import { fieldConflicts as chatCompletionsConflicts } from './chat-completions/field-conflicts.ts';
import type { ChatCompletionsRequest } from './chat-completions/schema.ts';
import type { ErrorDetails } from './error-details.ts';
import { capturePreset as fromMessages } from './messages/capture-preset.ts';
import * as messagesErrors from './messages/errors.ts';
import { fieldConflicts as messagesConflicts } from './messages/field-conflicts.ts';
import type { MessagesRequest } from './messages/schema.ts';
import { capturePreset as fromResponses } from './responses/capture-preset.ts';
import * as responsesErrors from './responses/errors.ts';
import { fieldConflicts as responsesConflicts } from './responses/field-conflicts.ts';
import type { ResponsesRequest } from './responses/schema.ts';
import { createVersionMerger, type VersionMerger } from './version-merger.ts';

/**
 * Everything that differs between dialects. The rest of the server handles all dialects alike and
 * only reaches them through this table. Each dialect has its own folder with the same file names.
 */
export interface DialectDefinition extends VersionMerger {
  /** The name of the request schema in the OpenAPI document and of its validator. */
  readonly schemaName: string;
  /** The path of the endpoint, relative to a base URL. */
  readonly path: string;
  /** The fields that the schema requires but a config lacks. Both together are a valid request. */
  readonly minimalConversation: object;
  /** Extracts the preset from a request, which must have passed validation. */
  readonly capturePreset: (request: object) => CapturedPreset;
  /** An error response in the dialect's format. */
  readonly errorBody: (error: ErrorDetails) => object;
  /** Whether a body is an error that clients of the dialect understand. */
  readonly isErrorBody: (value: unknown) => boolean;
  /**
   * The text of the events that end a broken stream. `sent` is the end of what was sent, after the
   * first lines that contain `startField`.
   */
  readonly errorEvent: (error: ErrorDetails, sent: string) => string;
  readonly startField?: string;
  /** Whether a stream that ends with `tail` is complete. */
  readonly hasFinished: (tail: string) => boolean;
}

/** The shortest conversation that both dialects with `messages` accept. */
const messages = [{ role: 'user', content: '' }];

export const dialectOf: Readonly<Record<Dialect, DialectDefinition>> = {
  'chat-completions': {
    schemaName: 'ChatCompletionsRequest',
    path: '/chat/completions',
    minimalConversation: { messages },
    capturePreset: (request) => fromChatCompletions(request as ChatCompletionsRequest),
    ...createVersionMerger('chat-completions', chatCompletionsConflicts),
    ...chatCompletionsErrors,
  },
  messages: {
    schemaName: 'MessagesRequest',
    path: '/messages',
    minimalConversation: { messages },
    capturePreset: (request) => fromMessages(request as MessagesRequest),
    ...createVersionMerger('messages', messagesConflicts),
    ...messagesErrors,
  },
  responses: {
    schemaName: 'ResponsesRequest',
    path: '/responses',
    minimalConversation: {},
    capturePreset: (request) => fromResponses(request as ResponsesRequest),
    ...createVersionMerger('responses', responsesConflicts),
    ...responsesErrors,
  },
};
