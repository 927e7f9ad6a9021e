import type { Caller } from './authenticate.ts';
import type { Clock } from './clock.ts';
import { PresetdError } from './errors.ts';
import { decideImport } from './import-change.ts';
import type { ImportedPreset, ImportedVersion, ImportResult } from './imported-preset.ts';
import type { PresetAddress, PresetState, PresetVersion } from './preset.ts';
import type { PresetStore } from './storage.ts';
import { authorOf, type PresetRequest, writablePreset, writableWorkspace } from './workspace-access.ts';

/** Of the connections to the database, so that others are served meanwhile. */
const presetsAtOnce = 4;
const attemptsMax = 5;

/**
 * Brings presets in as they were elsewhere. What is there already is not made again, and no version is ever changed: a
 * preset that has other versions under the same numbers is left alone and told as a conflict.
 */
export async function importPresets(
  presets: PresetStore,
  clock: Clock,
  request: Omit<PresetRequest, 'slug'>,
  imported: readonly ImportedPreset[],
  /** Fails where the caller may not go on. */
  admit: () => unknown,
): Promise<readonly ImportResult[]> {
  writableWorkspace(request.caller, request.workspaceId);
  const results: ImportResult[] = [];
  let next = 0;
  const work = async () => {
    try {
      while (next < imported.length) {
        const index = next++;
        const preset = imported[index] as ImportedPreset;
        await admit();
        const address = writablePreset({ ...request, slug: preset.slug });
        results[index] = await importPreset(presets, clock, address, request.caller, preset);
      }
    } finally {
      // Nobody goes on for a caller who has been told of a failure.
      next = imported.length;
    }
  };
  await Promise.all(Array.from({ length: presetsAtOnce }, work));
  return results;
}

async function importPreset(
  presets: PresetStore,
  clock: Clock,
  address: PresetAddress,
  caller: Caller,
  imported: ImportedPreset,
): Promise<ImportResult> {
  const { slug } = imported;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const known = await presets.state(address);
    const conflict = known && (await conflictWith(presets, known, imported));
    if (conflict !== undefined) return { slug, outcome: 'conflict', versionsAdded: 0, message: conflict };
    let result: ImportResult | undefined;
    await presets.change(address, authorOf(caller), (current) => {
      result = undefined;
      // Versions that came after the look at them must be compared too, where they are among those brought in.
      const seen = known?.latestVersion ?? 0;
      const last = imported.versions.at(-1)?.version ?? 0;
      if ((current?.latestVersion ?? 0) > seen && seen < last) return undefined;
      const decision = decideImport(current, imported, address, authorOf(caller), clock());
      result = { slug, ...decision.result };
      return decision.change;
    });
    if (result !== undefined) return result;
  }
  throw new PresetdError('unavailable', `The preset "${slug}" is being changed all the time. Try again.`, {
    retryAfterSeconds: 1,
  });
}

const comparedPerPage = 20;

/** What keeps the preset from being brought in; undefined when nothing does. */
async function conflictWith(
  presets: PresetStore,
  known: PresetState,
  { versions }: ImportedPreset,
): Promise<string | undefined> {
  const there = versions.filter(({ version }) => version <= known.latestVersion);
  for (let start = 0; start < there.length; start += comparedPerPage) {
    const page = there.slice(start, start + comparedPerPage);
    const offset = (page[0]?.version ?? 1) - 1;
    const stored = await presets.versions(known.id, { offset, limit: page.length });
    const other = page.find((version, index) => !isSame(version, stored[index]));
    if (other !== undefined) {
      return `Version ${other.version} is another one here; nothing of it was imported.`;
    }
  }
  return undefined;
}

function isSame(imported: ImportedVersion, stored: PresetVersion | undefined): boolean {
  return (
    stored !== undefined &&
    stored.dialect === imported.dialect &&
    stored.configJson === imported.configJson &&
    stored.systemPrompt === imported.systemPrompt
  );
}
