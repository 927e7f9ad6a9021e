import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { type Actor, actorFrom } from '../organization/actor.ts';
import { workspaceFor } from '../organization/workspace-access.ts';
import { assertSlug } from '../preset-slug.ts';
import { hasContent, saveDraft } from './draft.ts';
import type { TransferStores } from './export-presets.ts';
import {
  decideImport,
  type ImportedDraft,
  type ImportedPreset,
  type ImportedVersion,
  type ImportResult,
} from './import-change.ts';
import type { PresetAddress, PresetState, PresetVersion } from './preset.ts';
import type { PresetRequest } from './preset-access.ts';
import type { PresetStore } from './preset-storage.ts';

/** Limits the database connections of one import, so that other requests are served meanwhile. */
const concurrencyMax = 4;

/** How often a preset is retried when someone else adds versions to it at the same time. */
const attemptsMax = 5;

/**
 * Imports presets from another server. Versions that already exist are skipped, and no version is
 * ever changed: a preset with different content under the same version number is reported as a
 * conflict and not touched. Drafts become drafts of the caller. Returns one result per preset, in
 * order. Presets imported before an error stay imported.
 */
export async function importPresets(
  stores: TransferStores,
  clock: Clock,
  request: Omit<PresetRequest, 'slug'>,
  imported: readonly ImportedPreset[],
  /**
   * Called before each preset: a long import stops when the caller loses access. Rejects to stop
   * it.
   */
  assertStillAuthorized: () => unknown,
): Promise<readonly ImportResult[]> {
  const { caller, workspaceId } = request;
  const workspace = workspaceFor(caller, workspaceId, 'release');
  const actor = actorFrom(caller, clock, (current) =>
    workspaceFor(current, workspace.workspaceId, 'release'),
  );
  const results: ImportResult[] = [];
  let next = 0;
  const work = async () => {
    try {
      while (next < imported.length) {
        const index = next++;
        const preset = imported[index] as ImportedPreset;
        await assertStillAuthorized();
        assertSlug(preset.slug);
        const address = { ...workspace, slug: preset.slug };
        const result = await importPreset(stores.presets, clock, address, actor, preset);
        const isThere = result.outcome !== 'ahead' && result.outcome !== 'conflict';
        const hasDraft =
          !isThere || !preset.draft || (await importDraft(stores, address, actor, preset.draft));
        results[index] = hasDraft ? result : { ...result, isDraftSkipped: true };
      }
    } finally {
      // After an error, the other workers stop too: the caller has already got the error response.
      next = imported.length;
    }
  };
  await Promise.all(Array.from({ length: concurrencyMax }, work));
  return results;
}

async function importPreset(
  presets: PresetStore,
  clock: Clock,
  address: PresetAddress,
  actor: Actor,
  imported: ImportedPreset,
): Promise<ImportResult> {
  const { slug } = imported;
  try {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const result = await attemptImport(presets, clock, address, actor, imported);
      if (result !== undefined) return { slug, ...result };
    }
  } catch (error) {
    // Another preset has one of the names.
    if (!(error instanceof PresetdError && error.kind === 'conflict')) throw error;
    return { slug, outcome: 'conflict', versionsAdded: 0, message: error.message };
  }
  throw new PresetdError('unavailable', `The preset "${slug}" kept changing during the import. Try again.`, {
    retryAfterSeconds: 1,
  });
}

/** Returns undefined, and stores nothing, if someone else changed the preset meanwhile. */
async function attemptImport(
  presets: PresetStore,
  clock: Clock,
  address: PresetAddress,
  actor: Actor,
  imported: ImportedPreset,
): Promise<Omit<ImportResult, 'slug'> | undefined> {
  const existing = await findByAnyName(presets, address, imported);
  const conflict = existing && (await conflictWith(presets, existing, imported));
  if (conflict !== undefined) return { outcome: 'conflict', versionsAdded: 0, message: conflict };
  let result: Omit<ImportResult, 'slug'> | undefined;
  const target = { ...address, slug: existing?.slug ?? address.slug };
  const decide: Parameters<PresetStore['change']>[2] = (current, cases) => {
    result = undefined;
    if (current?.id !== existing?.id) return undefined;
    // Versions added since the comparison have not been compared. Start over if the import has them
    // too.
    const compared = existing?.latestVersion ?? 0;
    const lastImported = imported.versions.at(-1)?.version ?? 0;
    if ((current?.latestVersion ?? 0) > compared && compared < lastImported) return undefined;
    const decision = decideImport(current, cases, imported, address, actor, clock());
    result = decision.result;
    return decision.change;
  };
  const caseNames = imported.caseNames && [...imported.cases.keys()];
  await presets.change(target, actor, decide, undefined, caseNames);
  return result;
}

/**
 * Returns whether the caller has this draft now. Never replaces what they have typed: the draft may
 * be somebody else's. Skips one whose base version has not arrived yet.
 */
async function importDraft(
  { drafts }: TransferStores,
  address: PresetAddress,
  actor: Actor,
  { updatedAt, ...content }: ImportedDraft,
): Promise<boolean> {
  let isThere = false;
  await drafts.change(address, actor, (preset, current) => {
    const fits = preset !== undefined && content.baseVersion <= preset.latestVersion;
    isThere = current === undefined ? fits : hasContent(current, content);
    if (current !== undefined || !fits) return undefined;
    return saveDraft(content, {})(preset, current, actor.userId, updatedAt);
  });
  return isThere;
}

/** A preset that was renamed since the last import has its old slug among its aliases. */
async function findByAnyName(
  presets: PresetStore,
  address: PresetAddress,
  { slug, aliases }: ImportedPreset,
): Promise<PresetState | undefined> {
  for (const name of [slug, ...aliases]) {
    const found = await presets.state({ ...address, slug: name });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Bounds the memory of the comparison: a version can be a megabyte. */
const comparedPerPage = 20;

/** Describes the first version that differs from the stored one; undefined if there is none. */
async function conflictWith(
  presets: PresetStore,
  existing: PresetState,
  { versions }: ImportedPreset,
): Promise<string | undefined> {
  const overlapping = versions.filter(({ version }) => version <= existing.latestVersion);
  for (let start = 0; start < overlapping.length; start += comparedPerPage) {
    const page = overlapping.slice(start, start + comparedPerPage);
    const offset = (page[0]?.version ?? 1) - 1;
    const stored = await presets.versions(existing.id, { offset, limit: page.length });
    const different = page.find((version, index) => !isSame(version, stored[index]));
    if (different !== undefined) {
      return `Version ${different.version} differs from the one on this server; nothing of this preset was imported.`;
    }
  }
  return undefined;
}

function isSame(imported: ImportedVersion, stored: PresetVersion | undefined): boolean {
  return (
    stored !== undefined &&
    stored.dialect === imported.dialect &&
    stored.configJson === imported.configJson &&
    stored.systemPrompt === imported.systemPrompt &&
    stored.extensionJson === imported.extensionJson
  );
}
