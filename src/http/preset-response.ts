import { Type } from 'typebox';
import {
  type AuthoredVersion,
  dialects,
  type Preset,
  type PresetOverview,
  type PresetVersion,
} from '../core/preset.ts';
import { type UncapturedFields, uncapturedReasons } from '../dialects/uncaptured-fields.ts';

export const timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
});
export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const uuid = Type.String({ format: 'uuid' });

const versionFields = {
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
};

export const presetVersionSchema = Type.Object(versionFields, {
  additionalProperties: false,
  description: 'One version of a preset. It never changes.',
});

export const presetVersionDetailsSchema = Type.Object(
  {
    ...versionFields,
    dialect: Type.Enum([...dialects], { description: 'In which the request was written.' }),
    creator_email: nullable(Type.String({ description: 'The address of `creator_id`.' })),
  },
  {
    additionalProperties: false,
    description: 'One version of a preset, and where it came from. It never changes.',
  },
);

const presetFields = {
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
};

export const presetSchema = Type.Object(
  { ...presetFields, designated_version: { $ref: 'PresetVersion#' } },
  { additionalProperties: false, description: 'A preset with the version that calls to it use.' },
);

export const presetSummarySchema = Type.Object(
  {
    ...presetFields,
    designated_version_number: Type.Integer({ minimum: 1 }),
    latest_version: Type.Integer({ minimum: 1, description: 'The number of the newest version.' }),
    labels: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'The version that each label points to.',
    }),
    model: nullable(
      Type.String({
        description:
          'The `model` of the designated version, or the first of its `models`. Cut after 256 characters.',
      }),
    ),
    updated_by: Type.String({ description: 'Who made the last change.' }),
    updated_by_email: nullable(Type.String()),
  },
  { additionalProperties: false, description: 'A preset without its versions.' },
);

export const presetPreviewSchema = Type.Object(
  {
    ...presetFields,
    id: Type.Null(),
    designated_version_id: Type.Null(),
    designated_version: Type.Object(
      { ...versionFields, id: Type.Null(), preset_id: Type.Null() },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'What a create would store; nothing has an id yet.' },
);

export const leftOutFieldSchema = Type.Object(
  {
    field: Type.String({ description: 'Its name, cut where it is very long.' }),
    reason: Type.Enum([...uncapturedReasons]),
    message: Type.String({ description: 'The reason in a sentence for people.' }),
  },
  { additionalProperties: false, description: 'A field of a request that a version does not keep.' },
);

/** The answer as text. The config goes out exactly as it is stored, without being read. */
export function presetResponse(preset: Preset): string {
  return `{"data":${presetText(preset, true)}}`;
}

interface Remembered {
  readonly text: string;
  readonly bytes: number;
}

const remembered = new WeakMap<Preset, Remembered>();

/** The same, made and measured once for a preset that is answered from memory. */
export function rememberedResponse(preset: Preset): Remembered {
  const known = remembered.get(preset);
  if (known !== undefined) return known;
  const encoded = Buffer.from(presetResponse(preset));
  // Through bytes and back makes one piece of it; as it is, it would be put together at every answer.
  const response = { text: encoded.toString(), bytes: encoded.length };
  remembered.set(preset, response);
  return response;
}

export function previewResponse(preset: Preset, { fields, totalCount }: UncapturedFields): string {
  const leftOut = JSON.stringify(fields);
  return `{"data":${presetText(preset, false)},"left_out":${leftOut},"left_out_count":${totalCount}}`;
}

export function versionResponse(version: AuthoredVersion): string {
  return `{"data":${authoredVersionText(version)}}`;
}

export async function* versionsResponse(
  versions: AsyncIterable<AuthoredVersion>,
  totalCount: number,
): AsyncGenerator<string> {
  let start = '{"data":[';
  for await (const version of versions) {
    yield start + authoredVersionText(version);
    start = ',';
  }
  yield `${start === ',' ? '' : start}],"total_count":${totalCount}}`;
}

function presetText(preset: Preset, isStored: boolean): string {
  const version = preset.designatedVersion;
  return (
    `{"id":${isStored ? `"${preset.id}"` : null},"name":${JSON.stringify(preset.name)},"slug":"${preset.slug}"` +
    `,"description":${JSON.stringify(preset.description)},"status":"${preset.status}"` +
    `,"status_updated_at":${JSON.stringify(preset.statusUpdatedAt)}` +
    `,"created_at":"${preset.createdAt}","updated_at":"${preset.updatedAt}"` +
    `,"creator_user_id":"${preset.creatorUserId}","workspace_id":"${preset.workspaceId}"` +
    `,"designated_version_id":${isStored ? `"${version.id}"` : null}` +
    `,"designated_version":${versionText(version, isStored)}}`
  );
}

function authoredVersionText(version: AuthoredVersion): string {
  const email = JSON.stringify(version.creatorEmail);
  return versionText(version, true, `,"dialect":"${version.dialect}","creator_email":${email}`);
}

/** Ids, slugs, times and enums hold no character that JSON would have to escape. */
function versionText(version: PresetVersion, isStored: boolean, more = ''): string {
  const ids = isStored
    ? `"id":"${version.id}","preset_id":"${version.presetId}"`
    : '"id":null,"preset_id":null';
  return (
    `{${ids},"version":${version.version}` +
    `,"config":${version.configJson},"system_prompt":${JSON.stringify(version.systemPrompt)}` +
    `,"creator_id":"${version.creatorId}","created_at":"${version.createdAt}","updated_at":"${version.createdAt}"${more}}`
  );
}

export function summaryOnWire(preset: PresetOverview): Type.Static<typeof presetSummarySchema> {
  return {
    id: preset.id,
    name: preset.name,
    slug: preset.slug,
    description: preset.description,
    status: preset.status,
    status_updated_at: preset.statusUpdatedAt,
    created_at: preset.createdAt,
    updated_at: preset.updatedAt,
    creator_user_id: preset.creatorUserId,
    workspace_id: preset.workspaceId,
    designated_version_id: preset.designatedVersionId,
    designated_version_number: preset.designatedNumber,
    latest_version: preset.latestVersion,
    labels: Object.fromEntries([...preset.labels].map(([label, { version }]) => [label, version])),
    model: preset.model,
    updated_by: preset.updatedBy,
    updated_by_email: preset.updatedByEmail,
  };
}
