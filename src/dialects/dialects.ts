import type { CapturedPreset, Dialect } from '../core/preset.ts';
import type { AppliedRequest, AppliedVersion } from './applied-request.ts';
import { applyPreset as applyToChatCompletions } from './chat-completions/apply-preset.ts';
import { capturePreset as fromChatCompletions } from './chat-completions/capture-preset.ts';
import * as chatCompletionsErrors from './chat-completions/errors.ts';
import type { ChatCompletionsRequest } from './chat-completions/schema.ts';
import type { ErrorDetails } from './error-details.ts';
import type { JsonObject } from './json-object.ts';
import { applyPreset as applyToMessages } from './messages/apply-preset.ts';
import { capturePreset as fromMessages } from './messages/capture-preset.ts';
import * as messagesErrors from './messages/errors.ts';
import type { MessagesRequest } from './messages/schema.ts';
import { applyPreset as applyToResponses } from './responses/apply-preset.ts';
import { capturePreset as fromResponses } from './responses/capture-preset.ts';
import * as responsesErrors from './responses/errors.ts';
import type { ResponsesRequest } from './responses/schema.ts';

/** Everything in which the dialects differ. */
export interface DialectDefinition {
  /** Under which its requests are described in the API document, and their validator is found. */
  readonly schemaName: string;
  /** Where a server that speaks it takes requests, below its base URL. */
  readonly path: string;
  /** What a request must have and a config has not. */
  readonly minimalConversation: object;
  /** The request must have passed the schema. */
  readonly capturePreset: (request: object) => CapturedPreset;
  readonly applyPreset: (request: JsonObject, preset: AppliedVersion) => AppliedRequest;
  readonly errorBody: (failure: ErrorDetails) => object;
  /** Whether an upstream's answer is an error that clients of the dialect understand. */
  readonly isErrorBody: (value: unknown) => boolean;
  /** What ends a stream that broke, as text to be sent; `tail` is the end of what was sent before. */
  readonly errorEvent: (failure: ErrorDetails, tail: string) => string;
  /** Whether a stream that ends in `tail` ended in order. */
  readonly hasFinished: (tail: string) => boolean;
}

const messages = [{ role: 'user', content: '' }];

export const dialectOf: Readonly<Record<Dialect, DialectDefinition>> = {
  'chat-completions': {
    schemaName: 'ChatCompletionsRequest',
    path: '/chat/completions',
    minimalConversation: { messages },
    capturePreset: (request) => fromChatCompletions(request as ChatCompletionsRequest),
    applyPreset: applyToChatCompletions,
    ...chatCompletionsErrors,
  },
  messages: {
    schemaName: 'MessagesRequest',
    path: '/messages',
    minimalConversation: { messages },
    capturePreset: (request) => fromMessages(request as MessagesRequest),
    applyPreset: applyToMessages,
    ...messagesErrors,
  },
  responses: {
    schemaName: 'ResponsesRequest',
    path: '/responses',
    minimalConversation: {},
    capturePreset: (request) => fromResponses(request as ResponsesRequest),
    applyPreset: applyToResponses,
    ...responsesErrors,
  },
};
