import { newId } from './identifiers.ts';
import type { ImportedPreset, ImportedVersion, ImportOutcome } from './imported-preset.ts';
import type { PresetAddress, PresetState, PresetVersion } from './preset.ts';
import { emptyPreset, type PresetChange, stateEvents } from './preset-change.ts';
import { type Author, type NewEvent, versionEvent } from './preset-event.ts';

export interface ImportDecision {
  readonly change: PresetChange | undefined;
  readonly result: {
    readonly outcome: ImportOutcome;
    readonly versionsAdded: number;
    readonly message?: string;
  };
}

/** What is to be done to a preset, none of whose versions contradicts what is brought in. */
export function decideImport(
  current: PresetState | undefined,
  imported: ImportedPreset,
  address: PresetAddress,
  author: Author,
  at: string,
): ImportDecision {
  // Whoever brings it in is its creator here: people do not travel.
  const base = current ?? emptyPreset(address, newId(), author.userId, imported.createdAt);
  const added = imported.versions.filter(({ version }) => version > base.latestVersion);
  const ahead = aheadReason(current, imported);
  if (ahead !== undefined) return nothing('ahead', ahead);
  const problem = gapProblem(base, added);
  if (problem !== undefined) return nothing('conflict', problem);

  const extended = withVersions(base, added, author);
  const isComplete = extended.state.latestVersion === imported.versionCount;
  const { updatedAt } = imported;
  const next = isComplete ? asImported(extended.state, imported, at) : { ...extended.state, updatedAt };
  const events = [...extended.events, ...stateEvents(extended.state, next)];
  if (isComplete && (events.length > 0 || hasOtherTimes(base, next))) events.push(importEvent(current, next));
  if (events.length === 0) return nothing('unchanged');
  return {
    change: {
      at,
      next: { ...next, revision: base.revision + events.length },
      versions: extended.versions,
      events,
    },
    result: { outcome: current === undefined ? 'created' : 'updated', versionsAdded: added.length },
  };
}

function nothing(outcome: ImportOutcome, message?: string): ImportDecision {
  return {
    change: undefined,
    result: { outcome, versionsAdded: 0, ...(message !== undefined && { message }) },
  };
}

/** What was done here later than anything in the stream must not be undone by it. */
function aheadReason(current: PresetState | undefined, imported: ImportedPreset): string | undefined {
  if (current === undefined) return undefined;
  if (current.latestVersion > imported.versionCount)
    return `It has ${current.latestVersion} versions here, and ${imported.versionCount} in what was sent.`;
  // Both are ISO 8601 in UTC, so that they sort as text.
  if (current.updatedAt > imported.updatedAt)
    return `It was changed here at ${current.updatedAt}, later than in what was sent (${imported.updatedAt}).`;
  return undefined;
}

function gapProblem({ latestVersion }: PresetState, added: readonly ImportedVersion[]): string | undefined {
  const [first] = added;
  if (first === undefined) return latestVersion === 0 ? 'It comes without a version.' : undefined;
  if (first.version === latestVersion + 1) return undefined;
  return `Version ${first.version} cannot follow version ${latestVersion}. Import the versions between them first.`;
}

/** Each becomes the designated one, as if it had been created here; the last word on that is the stream's. */
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
  const designatedBefore = [base.designatedNumber, ...added.map(({ version }) => version)];
  const events = versions.map(({ id, version }, index) =>
    versionEvent(id, version, designatedBefore[index] ?? 0),
  );
  const latestVersion = base.latestVersion + added.length;
  const designatedNumber = added.length > 0 ? latestVersion : base.designatedNumber;
  return { state: { ...base, latestVersion, designatedNumber }, versions, events };
}

function asImported(state: PresetState, imported: ImportedPreset, at: string): PresetState {
  const { name, description, status, statusUpdatedAt, updatedAt, designatedVersion } = imported;
  const labels = [...imported.labels].map(([label, version]) => {
    const known = state.labels.get(label);
    return [label, known?.version === version ? known : { version, updatedAt: at }] as const;
  });
  return {
    ...state,
    name,
    description,
    status,
    statusUpdatedAt,
    updatedAt,
    designatedNumber: designatedVersion,
    labels: new Map(labels),
  };
}

function hasOtherTimes(before: PresetState, after: PresetState): boolean {
  return before.updatedAt !== after.updatedAt || before.statusUpdatedAt !== after.statusUpdatedAt;
}

function importEvent(current: PresetState | undefined, next: PresetState): NewEvent {
  return {
    id: newId(),
    kind: 'preset.imported',
    before: current === undefined ? null : { updated_at: current.updatedAt },
    after: { updated_at: next.updatedAt },
  };
}
