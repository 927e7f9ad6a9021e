import type { Caller } from './authenticate.ts';
import { PresetdError } from './errors.ts';
import { describeLabels, describeVersions, isLabel, resolveVersion } from './label.ts';
import type { PresetAddress, PresetState, PresetStatus, PresetVersion } from './preset.ts';
import type { PresetCache } from './preset-cache.ts';
import { formatReference, type Pin, type PresetReference, truncateForMessage } from './preset-reference.ts';
import { readablePreset, unknownWorkspace } from './workspace-access.ts';

export interface ResolvedPreset {
  readonly slug: string;
  readonly version: PresetVersion;
}

/** Finds the version that a request is to use; at once where it is remembered. */
export type PresetResolver = (
  caller: Caller,
  reference: PresetReference,
) => ResolvedPreset | Promise<ResolvedPreset>;

/** How many presets an error names of those that do exist. */
const namedMax = 10;

/** `not_found` for what does not exist or is archived, `forbidden` for what is disabled. */
export function createPresetResolver(cache: PresetCache): PresetResolver {
  return (caller, reference) => {
    const { slug, pin } = reference;
    const address = readablePreset({ caller, slug, workspaceId: undefined });
    if (pin !== undefined) return resolvePinned(cache, address, reference, pin);
    const found = cache.find(address);
    if (found instanceof Promise) {
      return found.then(async (preset) => {
        if (preset === undefined) throw await unknownAmong(cache, address);
        return usable(preset, preset.designatedVersion);
      });
    }
    return usable(found, found.designatedVersion);
  };
}

async function resolvePinned(
  cache: PresetCache,
  address: PresetAddress,
  reference: PresetReference,
  pin: Pin,
): Promise<ResolvedPreset> {
  const preset = await cache.state(address);
  if (preset === undefined) throw await unknownAmong(cache, address);
  assertUsable(preset);
  const number = versionOf(preset, reference, pin);
  const version = await cache.version(preset.id, number);
  if (version === undefined) throw new Error(`a preset is without its version ${number}`);
  return { slug: preset.slug, version };
}

/** What can neither be a version nor a label is told as it was written; most likely the other one was meant. */
function versionOf(preset: PresetState, reference: PresetReference, pin: Pin): number {
  const isVersion = 'version' in pin;
  const text = isVersion ? pin.version : pin.label;
  if (isVersion ? /^[1-9]\d{0,8}$/.test(text) : isLabel(text)) return resolveVersion(preset, text, '/model');
  const { slug, latestVersion } = preset;
  throw new PresetdError(
    'not_found',
    `The preset "${slug}" has no ${JSON.stringify(truncateForMessage(formatReference(reference)))}. A version is pinned as ${slug}@${latestVersion}, a label as ${slug}:latest; the preset has ${describeVersions(latestVersion)} and the labels ${describeLabels(preset)}.`,
  );
}

function usable(
  preset: { readonly slug: string; readonly status: PresetStatus },
  version: PresetVersion,
): ResolvedPreset {
  assertUsable(preset);
  return { slug: preset.slug, version };
}

function assertUsable({ slug, status }: { readonly slug: string; readonly status: PresetStatus }): void {
  if (status === 'active') return;
  if (status === 'disabled')
    throw new PresetdError(
      'forbidden',
      `The preset "${slug}" is disabled. Name another, or enable it: PATCH /api/v1/presets/${slug} {"status": "active"}.`,
    );
  throw new PresetdError(
    'not_found',
    `The preset "${slug}" is archived. Name another, or restore it: POST /api/v1/presets/${slug}/restore.`,
  );
}

async function unknownAmong({ store }: PresetCache, address: PresetAddress): Promise<PresetdError> {
  const filter = { statuses: ['active'] as const, words: undefined };
  const page = await store.list(address, filter, { offset: 0, limit: namedMax });
  if (page === undefined) return unknownWorkspace(address.workspaceId);
  const { presets, totalCount } = page;
  const names = presets.map(({ slug }) => slug).join(', ');
  const more = totalCount > presets.length ? ` and ${totalCount - presets.length} more` : '';
  return new PresetdError(
    'not_found',
    `There is no preset "${address.slug}" in this workspace. ${totalCount === 0 ? 'It has none yet' : `It has ${names}${more}`}.`,
  );
}
