import { Type } from 'typebox';
import { nullable, timestamp } from '../../api/schema-parts.ts';
import {
  type AuthoredVersion,
  dialects,
  type Preset,
  type PresetOverview,
  type PresetVersion,
} from '../../core/presets/preset.ts';
import { type UncapturedFields, uncapturedReasons } from '../../dialects/uncaptured-fields.ts';

// Schemas and rendering of presets and versions. Responses with a config are built as text: the
// config is stored as JSON and may be a megabyte, so parsing and serializing it again would
// dominate a read, and would round numbers.

const uuid = Type.String({ format: 'uuid' });

/** The order of these fields is the order in the response; see `versionText`. */
const versionFields = {
  id: uuid,
  preset_id: uuid,
  version: Type.Integer({ minimum: 1 }),
  config: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The saved fields of the captured request.',
  }),
  system_prompt: nullable(Type.String()),
  creator_id: Type.String(),
  created_at: timestamp,
  updated_at: timestamp,
};

export const presetVersionSchema = Type.Object(versionFields, {
  additionalProperties: false,
  description: 'A version of a preset. Versions never change.',
});

/** Only where versions are read: the version inside a preset keeps OpenRouter's exact fields. */
export const presetVersionDetailsSchema = Type.Object(
  {
    ...versionFields,
    dialect: Type.Enum([...dialects], { description: 'The request format it was captured from.' }),
    creator_email: nullable(Type.String({ description: 'The e-mail address of `creator_id`.' })),
  },
  {
    additionalProperties: false,
    description: 'A version of a preset, with its origin. Versions never change.',
  },
);

/** OpenRouter's fields of a preset. */
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
  {
    additionalProperties: false,
    description: 'A preset with its live (designated) version, which calls to the preset use.',
  },
);

/** For lists, which must not read configs and prompts: those can be megabytes per page. */
export const presetSummarySchema = Type.Object(
  {
    ...presetFields,
    designated_version_number: Type.Integer({ minimum: 1 }),
    latest_version: Type.Integer({ minimum: 1, description: 'The number of the latest version.' }),
    labels: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'The version that each label points to.',
    }),
    model: nullable(
      Type.String({
        description:
          'The `model` of the live version, or the first of its `models`. Truncated to 256 characters.',
      }),
    ),
    updated_by: Type.String({ description: 'The user who made the last change.' }),
    updated_by_email: nullable(Type.String()),
  },
  { additionalProperties: false, description: 'A preset without the content of its versions.' },
);

/** A separate schema, because `Preset` has required ids. */
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
  {
    additionalProperties: false,
    description: 'The preset that a capture would store. Nothing has an id yet.',
  },
);

export const leftOutFieldSchema = Type.Object(
  {
    field: Type.String({ description: 'The name of the field, truncated if very long.' }),
    reason: Type.Enum([...uncapturedReasons]),
    message: Type.String({ description: 'The reason as a sentence.' }),
  },
  { additionalProperties: false, description: 'A field of a request that a version does not save.' },
);

/** The response as JSON text. The config is copied as stored, without parsing it. */
export function presetResponse(preset: Preset): string {
  return `{"data":${presetText(preset, true)}}`;
}

interface CachedResponse {
  readonly text: string;
  readonly bytes: number;
}

/** Keyed by preset object, so an entry is evicted together with its preset in the preset cache. */
const responseCache = new WeakMap<Preset, CachedResponse>();

/** The same response, rendered once per cached preset. */
export function cachedPresetResponse(preset: Preset): CachedResponse {
  const cached = responseCache.get(preset);
  if (cached !== undefined) return cached;
  const encoded = Buffer.from(presetResponse(preset));
  // Encoding and decoding flattens the concatenated string, which would otherwise happen again for
  // every response.
  const response = { text: encoded.toString(), bytes: encoded.length };
  responseCache.set(preset, response);
  return response;
}

/** The response of a dry run: the preset with null ids, and the fields that would not be saved. */
export function previewResponse(preset: Preset, { fields, totalCount }: UncapturedFields): string {
  const leftOut = JSON.stringify(fields);
  return `{"data":${presetText(preset, false)},"left_out":${leftOut},"left_out_count":${totalCount}}`;
}

export function versionResponse(version: AuthoredVersion): string {
  return `{"data":${authoredVersionText(version)}}`;
}

/** A page of versions as chunks, one per version, so that a long page never is in memory whole. */
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

/** `isStored` is false for a preview, whose ids are null. */
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

/** Ids, slugs, times and enums contain no characters that need escaping in JSON. */
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

/** A preset in a list. */
export function summaryToWire(preset: PresetOverview): Type.Static<typeof presetSummarySchema> {
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
