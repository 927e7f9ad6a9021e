import { isJsonObject, isSameJson } from '../../core/json/json-object.ts';
import { toolIdentity, toolLabel } from '../model/tool-identity.ts';

/** A preset's tools, indexed by identity for merging. */
export interface PresetTools {
  readonly tools: readonly unknown[];
  readonly identities: readonly (string | undefined)[];
  /** The index of each identity in `tools`; the first of several. */
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Returns undefined if the value is not a list. */
export function indexPresetTools(tools: unknown): PresetTools | undefined {
  if (!Array.isArray(tools)) return undefined;
  const identities = tools.map(toolIdentity);
  const indexOf = new Map<string, number>();
  for (const [index, identity] of identities.entries())
    if (identity !== undefined && !indexOf.has(identity)) indexOf.set(identity, index);
  return { tools, identities, indexOf };
}

/** The result of merging a preset's tools with a request's. */
interface MergedTools {
  readonly tools: readonly unknown[];
  /** The labels of the preset's tools that the request redefined. */
  readonly overridden: readonly string[];
}

/**
 * Merges the request's tools into the preset's. A tool with the same identity replaces the preset's
 * one in its position; all others are appended in order. No tool of the request is lost, not even a
 * duplicate: rejecting it is up to the upstream.
 */
export function mergeTools(preset: PresetTools, requested: readonly unknown[]): MergedTools {
  const replaced = new Map<string, unknown>();
  const added: unknown[] = [];
  for (const tool of requested) {
    const identity = toolIdentity(tool);
    if (identity === undefined || !preset.indexOf.has(identity) || replaced.has(identity)) added.push(tool);
    else replaced.set(identity, tool);
  }
  if (replaced.size === 0) return { tools: [...preset.tools, ...added], overridden: [] };
  const merged = preset.tools.flatMap((tool, index) => {
    const identity = preset.identities[index];
    if (identity === undefined || !replaced.has(identity)) return [tool];
    return preset.indexOf.get(identity) === index ? [replaced.get(identity)] : [];
  });
  return { tools: [...merged, ...added], overridden: overriddenTools(preset, replaced) };
}

/** Repeating the preset's definition is not an override. */
function overriddenTools({ tools, indexOf }: PresetTools, replaced: ReadonlyMap<string, unknown>): string[] {
  const overridden: string[] = [];
  for (const [identity, index] of indexOf) {
    const tool = tools[index];
    if (!replaced.has(identity) || isSameJson(replaced.get(identity), tool)) continue;
    overridden.push((isJsonObject(tool) ? toolLabel(tool) : undefined) ?? String(index));
  }
  return overridden;
}
