import { PresetdError } from './errors.ts';
import { newId } from './identifiers.ts';
import { labelsMax, requireExistingVersion, unknownLabel } from './label.ts';
import type { Labels, PresetAddress, PresetState, PresetStatus, PresetVersion } from './preset.ts';
import { type EventKind, type EventValues, type NewEvent, versionEvent } from './preset-event.ts';

/** What a rule makes of a preset: its next state, the versions to add to it, and what is to be told of it. */
export interface PresetChange {
  readonly at: string;
  readonly next: PresetState;
  readonly versions: readonly PresetVersion[];
  readonly events: readonly NewEvent[];
}

export interface PresetEdit {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly status?: 'active' | 'disabled' | undefined;
  readonly designatedVersion?: number | undefined;
}

/** The rules below look at one state and answer with the next; undefined when there is nothing to change. */
export type PresetRule = (current: PresetState, at: string) => PresetChange | undefined;

export function edit(wanted: PresetEdit): PresetRule {
  return (current, at) => {
    assertNotArchived(current, 'changing it');
    const designatedNumber = requireExistingVersion(
      current,
      wanted.designatedVersion ?? current.designatedNumber,
    );
    const { name = current.name, description = current.description, status = current.status } = wanted;
    return changed(current, at, { name, description, status, designatedNumber });
  };
}

export const archive: PresetRule = (current, at) => {
  if (current.status === 'disabled') {
    throw new PresetdError(
      'conflict',
      `The preset "${current.slug}" is disabled. Make it active before archiving it.`,
    );
  }
  return changed(current, at, { status: 'archived' });
};

export const restore: PresetRule = (current, at) =>
  current.status === 'archived' ? changed(current, at, { status: 'active' }) : undefined;

export function moveLabel(label: string, version: number): PresetRule {
  return (current, at) => {
    assertNotArchived(current, 'moving its labels');
    requireExistingVersion(current, version);
    const before = current.labels.get(label);
    if (before?.version === version) return undefined;
    if (before === undefined && current.labels.size >= labelsMax) {
      throw new PresetdError(
        'conflict',
        `The preset "${current.slug}" has ${labelsMax} labels, which is as many as there may be. Remove one first.`,
      );
    }
    return changed(current, at, { labels: new Map(current.labels).set(label, { version, updatedAt: at }) });
  };
}

export function removeLabel(label: string): PresetRule {
  return (current, at) => {
    assertNotArchived(current, 'moving its labels');
    if (!current.labels.has(label)) throw unknownLabel(current, label);
    return changed(current, at, { labels: new Map([...current.labels].filter(([name]) => name !== label)) });
  };
}

/** A preset before its first version. */
export function emptyPreset(
  { workspaceId, slug }: PresetAddress,
  id: string,
  creatorUserId: string,
  createdAt: string,
): PresetState {
  return {
    id,
    workspaceId,
    slug,
    name: slug,
    description: null,
    status: 'active',
    statusUpdatedAt: null,
    creatorUserId,
    createdAt,
    updatedAt: createdAt,
    latestVersion: 0,
    revision: 0,
    designatedNumber: 0,
    labels: new Map(),
  };
}

/** Adds the version under the next number and designates it. */
export function addVersion(current: PresetState, version: PresetVersion): PresetChange {
  if (current.status === 'archived') throw archivedPreset(current.slug);
  const number = current.latestVersion + 1;
  return {
    at: version.createdAt,
    next: {
      ...current,
      latestVersion: number,
      designatedNumber: number,
      updatedAt: version.createdAt,
      revision: current.revision + 1,
    },
    versions: [{ ...version, presetId: current.id, version: number }],
    events: [versionEvent(version.id, number, current.designatedNumber)],
  };
}

export function archivedPreset(slug: string, doing = 'adding a version'): PresetdError {
  return new PresetdError('conflict', `The preset "${slug}" is archived. Restore it before ${doing}.`);
}

function assertNotArchived({ slug, status }: PresetState, doing: string): void {
  if (status === 'archived') throw archivedPreset(slug, doing);
}

function changed(current: PresetState, at: string, changes: Partial<PresetState>): PresetChange | undefined {
  const next = { ...current, ...changes };
  const events = stateEvents(current, next);
  if (events.length === 0) return undefined;
  const statusUpdatedAt = next.status === current.status ? current.statusUpdatedAt : at;
  const revision = current.revision + events.length;
  return { at, next: { ...next, statusUpdatedAt, updatedAt: at, revision }, versions: [], events };
}

/** What is to be told of the way from one state to the other. What changes nothing did not happen. */
export function stateEvents(before: PresetState, after: PresetState): readonly NewEvent[] {
  return [
    ...eventIf('preset.renamed', { name: before.name }, { name: after.name }),
    ...eventIf('preset.described', { description: before.description }, { description: after.description }),
    ...eventIf(
      statusEventKind(before.status, after.status),
      { status: before.status },
      { status: after.status },
    ),
    ...eventIf(
      'preset.designated',
      { designated_version: before.designatedNumber },
      { designated_version: after.designatedNumber },
    ),
    ...labelEvents(before.labels, after.labels),
  ];
}

function labelEvents(before: Labels, after: Labels): readonly NewEvent[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((label) => {
    const [from, to] = [before.get(label)?.version ?? null, after.get(label)?.version ?? null];
    const kind = to === null ? 'preset.label_removed' : 'preset.label_moved';
    return eventIf(kind, { label, version: from }, { label, version: to });
  });
}

function statusEventKind(before: PresetStatus, after: PresetStatus): EventKind {
  if (after !== 'active') return `preset.${after}`;
  return before === 'archived' ? 'preset.restored' : 'preset.enabled';
}

function eventIf(kind: EventKind, before: EventValues, after: EventValues): readonly NewEvent[] {
  const isSame = Object.keys(after).every((name) => before[name] === after[name]);
  return isSame ? [] : [{ id: newId(), kind, before, after }];
}
