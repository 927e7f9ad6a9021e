import { PresetdError } from '../../core/errors.ts';
import type { PresetResolver, ResolvedPreset } from '../../core/presets/resolve-preset.ts';
import type { Call } from '../call.ts';
import { markPreset, type PresetMark, type ResponseIds, type StoredObject } from './response-ids.ts';
import type { NamedId } from './stored-references.ts';

/** The signed ids in a request, and what they stand for. */
export interface OpenedIds {
  /** Keyed by the id that the client sent. Any id that is not here is unknown to the caller. */
  readonly stored: ReadonlyMap<string, StoredObject>;
  /** Ids of the workspace that are not in `stored`, because the key is limited to other presets. */
  readonly beyondKey: ReadonlySet<string>;
}

export interface IdOptions {
  readonly ids: ResponseIds;
  readonly resolve: PresetResolver;
}

/**
 * Opens the ids that presetd signed for the workspace. A key that is limited to presets may use
 * those whose whole conversation came through presets that it can call now.
 */
export async function openIds(
  call: Call,
  workspaceId: string,
  named: readonly NamedId[],
  { ids, resolve }: IdOptions,
): Promise<OpenedIds> {
  const stored = new Map<string, StoredObject>();
  for (const { kind, id } of named) {
    const opened = ids.open(workspaceId, kind, id);
    if (opened !== undefined) stored.set(id, opened);
  }
  const { presets } = call.caller;
  const beyondKey = new Set<string>();
  if (presets === null) return { stored, beyondKey };
  const callable = await findCallable(call, presets, stored.values(), resolve);
  for (const [id, { presets: marks }] of stored)
    if (marks.length === 0 || !marks.every((mark) => callable.has(mark))) beyondKey.add(id);
  for (const id of beyondKey) stored.delete(id);
  return { stored, beyondKey };
}

/**
 * The marks of a response that a call creates: those of the call's own preset and of everything it
 * continues. None if any of that came without a preset, so that limited keys cannot continue it.
 */
export function marksOf({ trace }: Call, continued: Iterable<StoredObject>): readonly PresetMark[] {
  const own = trace.preset && markOf(trace.preset);
  const all = [own === undefined ? [] : [own], ...[...continued].map(({ presets }) => presets)];
  return all.some(({ length }) => length === 0) ? [] : [...new Set(all.flat())].toSorted();
}

/** Undefined for a draft, which is not the preset that it is named after. */
function markOf({ version }: ResolvedPreset): PresetMark | undefined {
  return version.version === 'draft' ? undefined : markPreset(version.presetId);
}

/** The presets that a limited key can call and that matter here. Most calls need only their own. */
async function findCallable(
  { caller, trace }: Call,
  slugs: readonly string[],
  stored: Iterable<StoredObject>,
  resolve: PresetResolver,
): Promise<ReadonlySet<PresetMark>> {
  const needed = new Set([...stored].flatMap(({ presets }) => presets));
  const callable = new Set<PresetMark>();
  const add = (preset: ResolvedPreset | undefined) => {
    const mark = preset && markOf(preset);
    if (mark !== undefined) callable.add(mark);
  };
  add(trace.preset);
  for (const slug of slugs) {
    if (needed.isSubsetOf(callable)) break;
    add(await unlessUnavailable(async () => resolve(caller, { slug, pin: undefined })));
  }
  return callable;
}

/** A preset that is archived, disabled or gone cannot be called. */
async function unlessUnavailable(
  resolve: () => Promise<ResolvedPreset>,
): Promise<ResolvedPreset | undefined> {
  try {
    return await resolve();
  } catch (error) {
    const isUnavailable =
      error instanceof PresetdError && (error.kind === 'not_found' || error.kind === 'forbidden');
    if (isUnavailable) return undefined;
    throw error;
  }
}
