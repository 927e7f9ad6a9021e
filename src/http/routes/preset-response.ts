import { PresetSummary } from '../../api/presets.ts';
import type { Issue } from '../../core/errors.ts';
import type { AuthoredVersion, Preset, PresetOverview, PresetVersion } from '../../core/presets/preset.ts';
import type { UncapturedFields } from '../../dialects/presets/uncaptured-fields.ts';
import { toWireBy } from '../wire-fields.ts';

// Rendering of presets and versions. Responses with a config are built as text: the config is
// stored as JSON and may be a megabyte, so parsing and serializing it again would dominate a read,
// and would round numbers.

/** The response as JSON text. The config is copied as stored, without parsing it. */
export function presetResponse(preset: Preset, warnings?: readonly Issue[]): string {
  const others = warnings === undefined ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  return `{"data":${presetText(preset, true)}${others}}`;
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

/** The response of a dry run: the preset with null ids, what would not be saved, and warnings. */
export function previewResponse(
  preset: Preset,
  { fields, totalCount }: UncapturedFields,
  warnings: readonly Issue[],
): string {
  return (
    `{"data":${presetText(preset, false)},"left_out":${JSON.stringify(fields)}` +
    `,"left_out_count":${totalCount},"warnings":${JSON.stringify(warnings)}}`
  );
}

export function versionResponse(version: AuthoredVersion): string {
  return `{"data":${authoredVersionText(version)}}`;
}

export function versionsResponse(
  versions: AsyncIterable<AuthoredVersion>,
  totalCount: number,
): AsyncGenerator<string> {
  return pageResponse(versions, authoredVersionText, totalCount);
}

/** A page as chunks, one per item, so that a long page never is in memory whole. */
export async function* pageResponse<Item>(
  items: AsyncIterable<Item>,
  textOf: (item: Item) => string,
  totalCount: number,
): AsyncGenerator<string> {
  let start = '{"data":[';
  for await (const item of items) {
    yield start + textOf(item);
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
  const { dialect, creatorEmail, extensionJson } = version;
  const more = `,"dialect":"${dialect}","creator_email":${JSON.stringify(creatorEmail)},"presetd":${extensionJson}`;
  return versionText(version, true, more);
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

const toSummary = toWireBy(PresetSummary);

/** A preset in a list. */
export function summaryToWire(preset: PresetOverview): PresetSummary {
  const { designatedNumber, labels, aliases } = preset;
  return toSummary(preset, {
    designated_version_number: designatedNumber,
    labels: Object.fromEntries([...labels].map(([label, { version }]) => [label, version])),
    aliases: [...aliases.keys()],
  });
}
