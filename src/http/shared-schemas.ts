import '../api/contract.ts';
import { errorSchema, messagesErrorSchema } from '../api/errors.ts';
import { namedSchemas } from '../api/operation.ts';
import { dialects } from '../core/presets/preset.ts';
import { chatCompletionsRequest } from '../dialects/chat-completions/schema.ts';
import { messagesRequest } from '../dialects/messages/schema.ts';
import { responsesRequest } from '../dialects/responses/schema.ts';
import { callSchema, callSchemaNames } from './body/call-request.ts';
import { auditEventSchema } from './routes/audit.ts';
import { importResultSchema } from './routes/import.ts';
import { currentKeySchema, keySchema } from './routes/key-response.ts';
import { keyEditSchema, newKeySchema } from './routes/keys.ts';
import { modelSchema } from './routes/models.ts';
import {
  importedMemberSchema,
  memberEditSchema,
  memberImportSchema,
  memberSchema,
  newMemberSchema,
} from './routes/organization-members.ts';
import { presetEventSchema } from './routes/preset-events.ts';
import { presetLabelSchema } from './routes/preset-labels.ts';
import {
  leftOutFieldSchema,
  presetPreviewSchema,
  presetSchema,
  presetSummarySchema,
  presetVersionDetailsSchema,
  presetVersionSchema,
} from './routes/preset-response.ts';
import { versionDiffSchema } from './routes/preset-versions.ts';
import { presetEditSchema } from './routes/presets.ts';

/**
 * Schemas by their component name in the OpenAPI document; routes refer to them as `{ $ref: 'Name#'
 * }`. Client generators derive class names from these, so renaming one breaks users.
 */
export const sharedSchemas: Readonly<Record<string, object>> = {
  ChatCompletionsRequest: chatCompletionsRequest,
  MessagesRequest: messagesRequest,
  ResponsesRequest: responsesRequest,
  // Calls have their own schemas: captures are validated strictly, calls only by the upstream.
  ...Object.fromEntries(dialects.map((dialect) => [callSchemaNames[dialect], callSchema(dialect)])),
  Preset: presetSchema,
  PresetVersion: presetVersionSchema,
  PresetVersionDetails: presetVersionDetailsSchema,
  PresetSummary: presetSummarySchema,
  PresetPreview: presetPreviewSchema,
  LeftOutField: leftOutFieldSchema,
  PresetEdit: presetEditSchema,
  PresetLabel: presetLabelSchema,
  PresetEvent: presetEventSchema,
  PresetVersionDiff: versionDiffSchema,
  ImportResult: importResultSchema,
  Key: keySchema,
  CurrentKey: currentKeySchema,
  NewKey: newKeySchema,
  KeyEdit: keyEditSchema,
  OrganizationMember: memberSchema,
  NewMember: newMemberSchema,
  MemberEdit: memberEditSchema,
  MemberImport: memberImportSchema,
  ImportedMember: importedMemberSchema,
  AuditEvent: auditEventSchema,
  ...namedSchemas(),
  Model: modelSchema,
  Error: errorSchema,
  MessagesError: messagesErrorSchema,
};
