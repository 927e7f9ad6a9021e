import type { Author } from '../event.ts';
import { newId } from '../identifiers.ts';
import { aliasesMax, namesOf } from './alias.ts';
import { caseRecords, importSteps } from './case.ts';
import type { DraftContent } from './draft.ts';
import type { CurrentCases, PresetAddress, PresetRecord, PresetState, PresetVersion } from './preset.ts';
import { emptyPreset, newEvent, type PresetChange, stateEvents } from './preset-change.ts';
import { type NewEvent, versionEvent } from './preset-event.ts';

/** A preset from an export, with some or all of its versions. */
export interface ImportedPreset {
  readonly slug: string;
  readonly createdAt: string;
  readonly details: ImportedDetails;
  /** The total number of versions. A large preset is sent in several requests. */
  readonly versionCount: number;
  readonly designatedVersion: number;
  readonly labels: ReadonlyMap<string, number>;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  /** Consecutive. */
  readonly versions: readonly ImportedVersion[];
  /** All cases of the preset; undefined if the export says nothing about cases. */
  readonly caseNames: readonly string[] | undefined;
  /** The content of some or all of them, as JSON text by name. */
  readonly cases: ReadonlyMap<string, string>;
  /** The exporter's draft. */
  readonly draft: ImportedDraft | undefined;
}

/** The fields of the preset that an import replaces. */
type ImportedDetails = Omit<
  PresetRecord,
  'id' | 'workspaceId' | 'slug' | 'creatorUserId' | 'createdAt' | 'latestVersion' | 'revision'
>;

export interface ImportedDraft extends DraftContent {
  readonly updatedAt: string;
}

export type ImportedVersion = Omit<PresetVersion, 'id' | 'presetId' | 'creatorId'>;

/** `ahead` and `conflict` mean that nothing was imported; the message says why. */
type ImportOutcome = 'created' | 'updated' | 'unchanged' | 'ahead' | 'conflict';

export interface ImportResult {
  readonly slug: string;
  readonly outcome: ImportOutcome;
  readonly versionsAdded: number;
  readonly message?: string;
  /** The preset was imported without its draft, because the caller has another one. */
  readonly isDraftSkipped?: true;
}

interface ImportDecision {
  readonly change: PresetChange | undefined;
  readonly result: Omit<ImportResult, 'slug'>;
}

/**
 * Decides how to import a preset. The caller has already checked that no existing version
 * conflicts.
 *
 * A large preset arrives in several requests. Only the one that completes its versions, and those
 * after it, also apply names, status, labels, cases and the designated version.
 */
export function decideImport(
  current: PresetState | undefined,
  cases: CurrentCases,
  imported: ImportedPreset,
  address: PresetAddress,
  author: Author,
  at: string,
): ImportDecision {
  // Exports contain no users, so the importing user becomes the creator.
  const base = current ?? emptyPreset(address, newId(), author.userId, imported.createdAt);
  const added = imported.versions.filter(({ version }) => version > base.latestVersion);
  const ahead = aheadReason(current, imported);
  if (ahead !== undefined) return noChange('ahead', ahead);
  const problem = gapProblem(base, added);
  if (problem !== undefined) return noChange('conflict', problem);

  const extended = withVersions(base, added, author);
  const isComplete = extended.state.latestVersion === imported.versionCount;
  const { updatedAt } = imported.details;
  const names = withNames(base, imported, at);
  if (names.aliases.size > aliasesMax) return noChange('conflict', tooManyAliases(names.aliases.size));
  const next = isComplete
    ? asImported({ ...extended.state, ...names }, imported, at)
    : { ...extended.state, updatedAt };
  const stateChanges = [...extended.events, ...stateEvents(extended.state, next)];
  const { caseNames } = imported;
  const steps = isComplete && caseNames ? importSteps(cases, caseNames, imported.cases) : [];
  const events = [...stateChanges, ...steps.map(({ event }) => event)];
  if (isComplete && (events.length > 0 || hasOtherTimes(base, next))) events.push(importEvent(current, next));
  if (events.length === 0) return noChange('unchanged');
  return {
    change: {
      at,
      next: { ...next, revision: base.revision + events.length },
      versions: extended.versions,
      cases: caseRecords(steps, base.revision + stateChanges.length),
      events,
    },
    result: { outcome: current === undefined ? 'created' : 'updated', versionsAdded: added.length },
  };
}

function noChange(outcome: ImportOutcome, message?: string): ImportDecision {
  return {
    change: undefined,
    result: { outcome, versionsAdded: 0, ...(message !== undefined && { message }) },
  };
}

/** An import must not undo a later change on this server. Returns the reason to skip it, if any. */
function aheadReason(current: PresetState | undefined, imported: ImportedPreset): string | undefined {
  if (current === undefined) return undefined;
  if (current.latestVersion > imported.versionCount)
    return `It has ${current.latestVersion} versions on this server and ${imported.versionCount} in the import.`;
  // ISO 8601 times in UTC compare correctly as text.
  const { updatedAt } = imported.details;
  if (current.updatedAt > updatedAt)
    return `It was changed on this server at ${current.updatedAt}, later than in the import (${updatedAt}).`;
  return undefined;
}

/** Version numbers have no gaps. */
function gapProblem({ latestVersion }: PresetState, added: readonly ImportedVersion[]): string | undefined {
  const [first] = added;
  if (first === undefined) return latestVersion === 0 ? 'The import has no version of it.' : undefined;
  if (first.version === latestVersion + 1) return undefined;
  return `Version ${first.version} cannot follow version ${latestVersion}. Import the versions between them first.`;
}

/**
 * Adds versions that do not go live, except for the first one of a new preset. `asImported` sets
 * the designated version once all versions are there: until then, one of them may be a draft.
 */
function withVersions(
  base: PresetState,
  added: readonly ImportedVersion[],
  author: Author,
): { state: PresetState; versions: readonly PresetVersion[]; events: readonly NewEvent[] } {
  const versions = added.map((version) => ({
    ...version,
    id: newId(),
    presetId: base.id,
    creatorId: author.userId,
  }));
  const designatedNumber = base.designatedNumber || Math.min(1, added.length);
  const events = versions.map((version) =>
    versionEvent(version, version.version === 1 ? 0 : designatedNumber, designatedNumber),
  );
  const latestVersion = base.latestVersion + added.length;
  return { state: { ...base, latestVersion, designatedNumber }, versions, events };
}

/**
 * An import only adds names, because callers may use those that exist. It changes the slug only if
 * the preset was renamed where the export comes from: the slug here is then an alias there.
 */
function withNames(base: PresetState, imported: ImportedPreset, at: string) {
  const slug = imported.aliases.includes(base.slug) ? imported.slug : base.slug;
  const names = [...new Set([...namesOf(base), imported.slug, ...imported.aliases])];
  const aliases = names.filter((name) => name !== slug);
  return {
    slug,
    aliases: new Map(aliases.map((alias) => [alias, base.aliases.get(alias) ?? { createdAt: at }])),
  };
}

function tooManyAliases(count: number): string {
  return `It would have ${count} aliases, with those on this server; a preset can have ${aliasesMax}.`;
}

/** The preset with the imported details. A label that stays where it is keeps its time. */
function asImported(state: PresetState, imported: ImportedPreset, at: string): PresetState {
  const labels = [...imported.labels].map(([label, version]) => {
    const existing = state.labels.get(label);
    return [label, existing?.version === version ? existing : { version, updatedAt: at }] as const;
  });
  return {
    ...state,
    ...imported.details,
    designatedNumber: imported.designatedVersion,
    labels: new Map(labels),
    tags: imported.tags.toSorted(),
  };
}

/** A re-import can change timestamps alone, which no other event records. */
function hasOtherTimes(before: PresetState, after: PresetState): boolean {
  return before.updatedAt !== after.updatedAt || before.statusUpdatedAt !== after.statusUpdatedAt;
}

function importEvent(current: PresetState | undefined, next: PresetState): NewEvent {
  const before = current === undefined ? null : { updated_at: current.updatedAt };
  return newEvent('preset.imported', before, { updated_at: next.updatedAt });
}
