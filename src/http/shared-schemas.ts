import { chatCompletionsRequest } from '../dialects/chat-completions/schema.ts';
import { messagesRequest } from '../dialects/messages/schema.ts';
import { responsesRequest } from '../dialects/responses/schema.ts';
import { errorSchema } from './error-schema.ts';
import { presetSchema, presetVersionSchema } from './preset-response.ts';
import { memberSchema } from './routes/organization-members.ts';

/** Schemas with a name of their own in the OpenAPI document; routes refer to them as `{ $ref: 'Name#' }`. */
export const sharedSchemas: Readonly<Record<string, object>> = {
  ChatCompletionsRequest: chatCompletionsRequest,
  MessagesRequest: messagesRequest,
  ResponsesRequest: responsesRequest,
  Preset: presetSchema,
  PresetVersion: presetVersionSchema,
  OrganizationMember: memberSchema,
  Error: errorSchema,
};
