import type { CapturedPreset, Dialect } from '../core/presets/preset.ts';
import { type ApplyVersion, createApplyVersion } from './apply-version.ts';
import {
  applyPreset as applyToChatCompletions,
  fieldConflicts as chatCompletionsConflicts,
  systemText as chatCompletionsSystemText,
} from './chat-completions/apply-preset.ts';
import { capturePreset as fromChatCompletions } from './chat-completions/capture-preset.ts';
import * as chatCompletionsErrors from './chat-completions/errors.ts';
import type { ChatCompletionsRequest } from './chat-completions/schema.ts';
import type { ErrorDetails } from './error-details.ts';
import { withoutSystemText } from './extension/system-prompt-policy.ts';
import type { JsonObject } from './json-object.ts';
import {
  applyPreset as applyToMessages,
  fieldConflicts as messagesConflicts,
  systemText as messagesSystemText,
} from './messages/apply-preset.ts';
import { capturePreset as fromMessages } from './messages/capture-preset.ts';
import * as messagesErrors from './messages/errors.ts';
import type { MessagesRequest } from './messages/schema.ts';
import {
  applyPreset as applyToResponses,
  fieldConflicts as responsesConflicts,
  systemText as responsesSystemText,
} from './responses/apply-preset.ts';
import { capturePreset as fromResponses } from './responses/capture-preset.ts';
import * as responsesErrors from './responses/errors.ts';
import type { ResponsesRequest } from './responses/schema.ts';

/**
 * Everything that differs between dialects. The rest of the server handles all dialects alike and
 * only reaches them through this table. Each dialect has its own folder with the same file names.
 */
export interface DialectDefinition {
  /** The name of the request schema in the OpenAPI document and of its validator. */
  readonly schemaName: string;
  /** The path of the endpoint, relative to a base URL. */
  readonly path: string;
  /** The fields that the schema requires but a config lacks. Both together are a valid request. */
  readonly minimalConversation: object;
  /** Extracts the preset from a request, which must have passed validation. */
  readonly capturePreset: (request: object) => CapturedPreset;
  /** Merges a preset into a request, translating it first if it is in another dialect. */
  readonly applyPreset: ApplyVersion;
  /** The request without any system text. */
  readonly withoutSystemText: (request: JsonObject) => JsonObject;
  /** An error response in the dialect's format. */
  readonly errorBody: (error: ErrorDetails) => object;
  /** Whether a body is an error that clients of the dialect understand. */
  readonly isErrorBody: (value: unknown) => boolean;
  /** The text of the event that ends a broken stream. `tail` is the end of what was sent. */
  readonly errorEvent: (error: ErrorDetails, tail: string) => string;
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
    applyPreset: createApplyVersion('chat-completions', chatCompletionsConflicts, applyToChatCompletions),
    withoutSystemText: (request) => withoutSystemText(request, chatCompletionsSystemText),
    ...chatCompletionsErrors,
  },
  messages: {
    schemaName: 'MessagesRequest',
    path: '/messages',
    minimalConversation: { messages },
    capturePreset: (request) => fromMessages(request as MessagesRequest),
    applyPreset: createApplyVersion('messages', messagesConflicts, applyToMessages),
    withoutSystemText: (request) => withoutSystemText(request, messagesSystemText),
    ...messagesErrors,
  },
  responses: {
    schemaName: 'ResponsesRequest',
    path: '/responses',
    minimalConversation: {},
    capturePreset: (request) => fromResponses(request as ResponsesRequest),
    applyPreset: createApplyVersion('responses', responsesConflicts, applyToResponses),
    withoutSystemText: (request) => withoutSystemText(request, responsesSystemText),
    ...responsesErrors,
  },
};
