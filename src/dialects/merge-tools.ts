import { isJsonObject, isSameJson } from './json-object.ts';
import { toolLabel } from './tool-concepts.ts';
import { toolIdentity } from './tool-identity.ts';

/** The tools of a preset, and what each of them is. */
export interface PresetTools {
  readonly tools: readonly unknown[];
  readonly identities: readonly (string | undefined)[];
  /** Where each stands; of several that are the same, the first counts. */
  readonly placeOf: ReadonlyMap<string, number>;
}

/** Undefined where a preset has no list of tools. */
export function indexPresetTools(tools: unknown): PresetTools | undefined {
  if (!Array.isArray(tools)) return undefined;
  const identities = tools.map(toolIdentity);
  const placeOf = new Map<string, number>();
  for (const [place, identity] of identities.entries())
    if (identity !== undefined && !placeOf.has(identity)) placeOf.set(identity, place);
  return { tools, identities, placeOf };
}

export interface MergedTools {
  readonly tools: readonly unknown[];
  /** The tools of the preset that gave way to another definition, each under the name that people know it by. */
  readonly overridden: readonly string[];
}

/**
 * The tools of a preset in their order, with a tool of the request in the place of one that is the same; the other
 * tools of the request follow in theirs. Nothing that the request gave is left out, even where it gave it twice.
 */
export function mergeTools(preset: PresetTools, requested: readonly unknown[]): MergedTools {
  const replaced = new Map<string, unknown>();
  const added: unknown[] = [];
  for (const tool of requested) {
    const identity = toolIdentity(tool);
    if (identity === undefined || !preset.placeOf.has(identity) || replaced.has(identity)) added.push(tool);
    else replaced.set(identity, tool);
  }
  if (replaced.size === 0) return { tools: [...preset.tools, ...added], overridden: [] };
  const kept = preset.tools.flatMap((tool, place) => {
    const identity = preset.identities[place];
    if (identity === undefined || !replaced.has(identity)) return [tool];
    return preset.placeOf.get(identity) === place ? [replaced.get(identity)] : [];
  });
  return { tools: [...kept, ...added], overridden: overriddenTools(preset, replaced) };
}

function overriddenTools({ tools, placeOf }: PresetTools, replaced: ReadonlyMap<string, unknown>): string[] {
  const overridden: string[] = [];
  for (const [identity, place] of placeOf) {
    const tool = tools[place];
    if (!replaced.has(identity) || isSameJson(replaced.get(identity), tool)) continue;
    overridden.push((isJsonObject(tool) ? toolLabel(tool) : undefined) ?? String(place));
  }
  return overridden;
}
