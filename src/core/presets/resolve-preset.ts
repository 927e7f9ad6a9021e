import { PresetdError } from '../errors.ts';
import type { Caller } from '../organization/caller.ts';
import { unknownWorkspace } from '../organization/workspace-access.ts';
import { invalidField } from '../request-issues.ts';
import { describeLabels, describeVersions, isLabel, resolveVersion } from './label.ts';
import type { DraftVersion, PresetAddress, PresetState, PresetStatus, PresetVersion } from './preset.ts';
import { presetFor, unknownPreset } from './preset-access.ts';
import type { PresetCache } from './preset-cache.ts';
import { formatReference, type Pin, type PresetReference, truncateForMessage } from './preset-reference.ts';

export interface ResolvedPreset {
  readonly slug: string;
  readonly version: PresetVersion | DraftVersion;
}

/**
 * Finds the version that a call uses; a draft takes its place. Returns without a promise on a cache
 * hit.
 */
export type PresetResolver = (
  caller: Caller,
  reference: PresetReference,
  draft?: DraftVersion,
) => ResolvedPreset | Promise<ResolvedPreset>;

/** How many existing presets a "not found" message lists. */
const listedSlugsMax = 10;

/**
 * The resolver throws `not_found` for a missing or archived preset, `forbidden` for a disabled one.
 */
export function createPresetResolver(cache: PresetCache): PresetResolver {
  return (caller, reference, draft) => {
    const { slug, pin } = reference;
    const address = presetFor({ caller, slug, workspaceId: undefined }, 'call');
    if (draft !== undefined) return resolveDraft(cache, address, reference, draft);
    if (pin !== undefined)
      return resolveReference(cache, caller, address, reference).then(({ preset, version }) =>
        usable(preset, version),
      );
    const found = cache.find(address);
    if (found instanceof Promise) {
      return found.then(async (preset) => {
        if (preset === undefined) throw await unknownPresetError(cache, caller, address);
        return usable(preset, preset.designatedVersion);
      });
    }
    return usable(found, found.designatedVersion);
  };
}

/** The preset need not exist yet. If it does, it has to be one that can be called. */
async function resolveDraft(
  cache: PresetCache,
  address: PresetAddress,
  reference: PresetReference,
  draft: DraftVersion,
): Promise<ResolvedPreset> {
  if (reference.pin !== undefined) {
    const pinned = truncateForMessage(formatReference(reference));
    const message = `takes the place of a version, but the request asks for ${pinned}; name the preset without a version`;
    throw invalidField('/presetd/draft', message);
  }
  const preset = await cache.state(address);
  return preset === undefined ? { slug: address.slug, version: draft } : usable(preset, draft);
}

/** Finds the preset as well as the version, with the same errors as a call. */
export async function resolveReference(
  cache: PresetCache,
  caller: Caller,
  address: PresetAddress,
  reference: PresetReference,
): Promise<{ readonly preset: PresetState; readonly version: PresetVersion }> {
  const preset = await cache.state(address);
  if (preset === undefined) throw await unknownPresetError(cache, caller, address);
  assertUsable(preset);
  const { pin } = reference;
  const number = pin === undefined ? preset.designatedNumber : versionOf(preset, reference, pin);
  const version = await cache.version(preset.id, number);
  if (version === undefined) throw new Error(`version ${number} of a preset is missing`);
  return { preset, version };
}

/** A pin of the wrong form, such as `slug@latest`, gets a message that explains both forms. */
function versionOf(preset: PresetState, reference: PresetReference, pin: Pin): number {
  const isVersion = 'version' in pin;
  const text = isVersion ? pin.version : pin.label;
  if (isVersion ? /^[1-9]\d{0,8}$/.test(text) : isLabel(text)) return resolveVersion(preset, text, '/model');
  const { slug, latestVersion } = preset;
  throw new PresetdError(
    'not_found',
    `The preset "${slug}" has no ${JSON.stringify(truncateForMessage(formatReference(reference)))}. Pin a version as ${slug}@${latestVersion} or a label as ${slug}:latest; the preset has ${describeVersions(latestVersion)} and the labels ${describeLabels(preset)}.`,
    { code: 'version_not_found' },
  );
}

function usable(
  preset: { readonly slug: string; readonly status: PresetStatus },
  version: ResolvedPreset['version'],
): ResolvedPreset {
  assertUsable(preset);
  return { slug: preset.slug, version };
}

function assertUsable({ slug, status }: { readonly slug: string; readonly status: PresetStatus }): void {
  if (status === 'active') return;
  if (status === 'disabled')
    throw new PresetdError(
      'forbidden',
      `The preset "${slug}" is disabled. Use another preset, or enable this one: PATCH /api/v1/presets/${slug} {"status": "active"}.`,
      { code: 'preset_unavailable' },
    );
  throw new PresetdError(
    'not_found',
    `The preset "${slug}" is archived. Use another preset, or restore this one: POST /api/v1/presets/${slug}/restore.`,
    { code: 'preset_unavailable' },
  );
}

/** Lists existing presets in the message, because the slug is most likely misspelled. */
async function unknownPresetError(
  { store }: PresetCache,
  { presets: limit }: Caller,
  address: PresetAddress,
): Promise<PresetdError> {
  // A key that is limited to some presets does not learn the names of others.
  if (limit !== null) return unknownPreset(address.slug);
  const filter = { statuses: ['active'] as const, words: undefined };
  const page = await store.list(address, filter, { offset: 0, limit: listedSlugsMax });
  if (page === undefined) return unknownWorkspace(address.workspaceId);
  const { presets, totalCount } = page;
  const slugs = presets.map(({ slug }) => slug).join(', ');
  const more = totalCount > presets.length ? ` and ${totalCount - presets.length} more` : '';
  return new PresetdError(
    'not_found',
    `There is no preset "${address.slug}" in this workspace. ${totalCount === 0 ? 'It has no active presets' : `It has ${slugs}${more}`}.`,
    { code: 'preset_not_found' },
  );
}
