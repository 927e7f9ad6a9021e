import { Type } from 'typebox';
import type { Preset, PresetVersion } from '../core/preset.ts';

const timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds.' });
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const uuid = Type.String({ format: 'uuid' });

export const presetVersionSchema = Type.Object(
  {
    id: uuid,
    preset_id: uuid,
    version: Type.Integer({ minimum: 1 }),
    config: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The kept fields of the captured request.',
    }),
    system_prompt: nullable(Type.String()),
    creator_id: Type.String(),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false, description: 'One version of a preset. It never changes.' },
);

export const presetSchema = Type.Object(
  {
    id: uuid,
    name: Type.String(),
    slug: Type.String(),
    description: nullable(Type.String()),
    status: Type.Enum(['active', 'disabled', 'archived']),
    status_updated_at: nullable(timestamp),
    created_at: timestamp,
    updated_at: timestamp,
    creator_user_id: Type.String(),
    workspace_id: uuid,
    designated_version_id: uuid,
    designated_version: Type.Unsafe<Type.Static<typeof presetVersionSchema>>({ $ref: 'PresetVersion#' }),
  },
  { additionalProperties: false, description: 'A preset with the version that calls to it use.' },
);

/** The answer as text. The config goes out exactly as it is stored, without being read. */
export function presetResponse(preset: Preset): string {
  const version = preset.designatedVersion;
  return (
    `{"data":{"id":"${preset.id}","name":${JSON.stringify(preset.name)},"slug":"${preset.slug}"` +
    `,"description":${JSON.stringify(preset.description)},"status":"${preset.status}"` +
    `,"status_updated_at":${JSON.stringify(preset.statusUpdatedAt)}` +
    `,"created_at":"${preset.createdAt}","updated_at":"${preset.updatedAt}"` +
    `,"creator_user_id":"${preset.creatorUserId}","workspace_id":"${preset.workspaceId}"` +
    `,"designated_version_id":"${version.id}","designated_version":${versionText(version)}}}`
  );
}

/** Ids, slugs, times and enums hold no character that JSON would have to escape. */
function versionText(version: PresetVersion): string {
  return (
    `{"id":"${version.id}","preset_id":"${version.presetId}","version":${version.version}` +
    `,"config":${version.configJson},"system_prompt":${JSON.stringify(version.systemPrompt)}` +
    `,"creator_id":"${version.creatorId}","created_at":"${version.createdAt}","updated_at":"${version.createdAt}"}`
  );
}
