import { chatCompletionsRequest } from '../dialects/chat-completions/schema.ts';
import { messagesRequest } from '../dialects/messages/schema.ts';
import { responsesRequest } from '../dialects/responses/schema.ts';
import { errorSchema } from './error-schema.ts';
import {
  presetPreviewSchema,
  presetSchema,
  presetSummarySchema,
  presetVersionSchema,
} from './preset-response.ts';
import { importResultSchema } from './routes/import.ts';
import { memberSchema } from './routes/organization-members.ts';
import { presetEventSchema } from './routes/preset-events.ts';
import { presetLabelSchema } from './routes/preset-labels.ts';
import { versionDiffSchema } from './routes/preset-versions.ts';
import { presetEditSchema } from './routes/presets.ts';

/** Schemas with a name of their own in the OpenAPI document; routes refer to them as `{ $ref: 'Name#' }`. */
export const sharedSchemas: Readonly<Record<string, object>> = {
  ChatCompletionsRequest: chatCompletionsRequest,
  MessagesRequest: messagesRequest,
  ResponsesRequest: responsesRequest,
  Preset: presetSchema,
  PresetVersion: presetVersionSchema,
  PresetSummary: presetSummarySchema,
  PresetPreview: presetPreviewSchema,
  PresetEdit: presetEditSchema,
  PresetLabel: presetLabelSchema,
  PresetEvent: presetEventSchema,
  PresetVersionDiff: versionDiffSchema,
  ImportResult: importResultSchema,
  OrganizationMember: memberSchema,
  Error: errorSchema,
};
