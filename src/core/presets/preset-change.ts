import { PresetdError } from '../errors.ts';
import { type DetailsEdit, detailChanges, type EventValues } from '../event.ts';
import { newId } from '../identifiers.ts';
import { definedFields } from '../json/defined-fields.ts';
import { aliasesMax, namesOf, unknownAlias } from './alias.ts';
import { labelsMax, requireExistingVersion, unknownLabel } from './label.ts';
import {
  type CaseRecord,
  detailEvents,
  type Labels,
  type PresetAddress,
  type PresetState,
  type PresetStatus,
  type PresetVersion,
} from './preset.ts';
import { type EventKind, type NewEvent, versionEvent } from './preset-event.ts';

/**
 * The result of a rule: the next state of the preset, the versions to add and the events to record.
 */
export interface PresetChange {
  readonly at: string;
  readonly next: PresetState;
  readonly versions: readonly PresetVersion[];
  /** Rows to add to the history of the preset's cases; none unless given. */
  readonly cases?: readonly CaseRecord[];
  readonly events: readonly NewEvent[];
}

export interface PresetEdit extends DetailsEdit<PresetState, typeof detailEvents> {
  /** The old slug becomes an alias. */
  readonly slug?: string | undefined;
  readonly status?: 'active' | 'disabled' | undefined;
  /** All tags of the preset from now on. */
  readonly tags?: readonly string[] | undefined;
  readonly designatedVersion?: number | undefined;
}

/**
 * Pure rules: each takes the state of a preset and returns the change to store, or undefined if
 * nothing changes. A rule throws when the state does not allow the change. Stores call rules inside
 * the transaction that locks the preset.
 */
export type PresetRule = (current: PresetState, at: string) => PresetChange | undefined;

/** Changes slug, status, tags, designated version and details. */
export function edit({ slug, status, tags, designatedVersion, ...details }: PresetEdit): PresetRule {
  return (current, at) => {
    assertNotArchived(current, 'changing it');
    return applyChanges(current, at, {
      ...definedFields(details),
      designatedNumber: requireExistingVersion(current, designatedVersion ?? current.designatedNumber),
      ...renamed(current, slug ?? current.slug, at),
      status: status ?? current.status,
      tags: tags?.toSorted() ?? current.tags,
    });
  };
}

export const archive: PresetRule = (current, at) => {
  if (current.status === 'disabled') {
    throw new PresetdError(
      'conflict',
      `The preset "${current.slug}" is disabled. Enable it before archiving it.`,
    );
  }
  return applyChanges(current, at, { status: 'archived' });
};

/** Restoring a preset that is not archived changes nothing. */
export const restore: PresetRule = (current, at) =>
  current.status === 'archived' ? applyChanges(current, at, { status: 'active' }) : undefined;

export function moveLabel(label: string, version: number): PresetRule {
  return (current, at) => {
    assertNotArchived(current, 'moving its labels');
    requireExistingVersion(current, version);
    const before = current.labels.get(label);
    if (before?.version === version) return undefined;
    if (before === undefined && current.labels.size >= labelsMax) {
      throw new PresetdError(
        'conflict',
        `The preset "${current.slug}" already has ${labelsMax} labels, the maximum. Remove one first.`,
      );
    }
    return applyChanges(current, at, {
      labels: new Map(current.labels).set(label, { version, updatedAt: at }),
    });
  };
}

export function removeLabel(label: string): PresetRule {
  return (current, at) => {
    assertNotArchived(current, 'moving its labels');
    if (!current.labels.has(label)) throw unknownLabel(current, label);
    return applyChanges(current, at, { labels: without(current.labels, label) });
  };
}

/** Adding an alias that the preset has changes nothing. */
export function addAlias(alias: string): PresetRule {
  return (current, at) => {
    assertNotArchived(current, 'changing its aliases');
    if (current.aliases.has(alias)) return undefined;
    if (alias === current.slug)
      throw new PresetdError('conflict', `"${alias}" is already the slug of this preset.`);
    if (current.aliases.size >= aliasesMax) throw tooManyAliases(current.slug);
    return applyChanges(current, at, { aliases: new Map(current.aliases).set(alias, { createdAt: at }) });
  };
}

export function removeAlias(alias: string): PresetRule {
  return (current, at) => {
    assertNotArchived(current, 'changing its aliases');
    if (!current.aliases.has(alias)) throw unknownAlias(current, alias);
    return applyChanges(current, at, { aliases: without(current.aliases, alias) });
  };
}

/** The state of a preset before its first version. It is never stored like this. */
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
    aliases: new Map(),
    tags: [],
  };
}

/**
 * Adds the version with the next number. Designates it, unless it should not go live and is not
 * the first. Throws `conflict` if the preset is archived.
 */
export function addVersion(current: PresetState, version: PresetVersion, designate = true): PresetChange {
  if (current.status === 'archived') throw archivedPreset(current.slug);
  const number = current.latestVersion + 1;
  const designatedNumber = designate || number === 1 ? number : current.designatedNumber;
  const added = { ...version, presetId: current.id, version: number };
  return {
    at: version.createdAt,
    next: {
      ...current,
      latestVersion: number,
      designatedNumber,
      updatedAt: version.createdAt,
      revision: current.revision + 1,
    },
    versions: [added],
    events: [versionEvent(added, current.designatedNumber, designatedNumber)],
  };
}

export function archivedPreset(slug: string, action = 'adding a version'): PresetdError {
  return new PresetdError('conflict', `The preset "${slug}" is archived. Restore it before ${action}.`);
}

/** Throws `conflict`; `action` is what the preset has to be restored for. */
export function assertNotArchived({ slug, status }: PresetState, action: string): void {
  if (status === 'archived') throw archivedPreset(slug, action);
}

/** The old slug becomes an alias. Renaming a preset to one of its own aliases swaps the two. */
function renamed(current: PresetState, slug: string, at: string): Partial<PresetState> {
  if (slug === current.slug) return {};
  const aliases = without(current.aliases, slug).set(current.slug, { createdAt: at });
  if (aliases.size > aliasesMax) throw tooManyAliases(current.slug, ', and its old slug would be another');
  return { slug, aliases };
}

function tooManyAliases(slug: string, reason = ''): PresetdError {
  return new PresetdError(
    'conflict',
    `The preset "${slug}" already has ${aliasesMax} aliases, the maximum${reason}. Remove one first.`,
  );
}

function without<Value>(entries: ReadonlyMap<string, Value>, removed: string): Map<string, Value> {
  return new Map([...entries].filter(([name]) => name !== removed));
}

/**
 * Applies the changes and derives the events, the revision and the timestamps from the differences.
 */
function applyChanges(
  current: PresetState,
  at: string,
  changes: Partial<PresetState>,
): PresetChange | undefined {
  const next = { ...current, ...changes };
  const events = stateEvents(current, next);
  if (events.length === 0) return undefined;
  const statusUpdatedAt = next.status === current.status ? current.statusUpdatedAt : at;
  const revision = current.revision + events.length;
  return { at, next: { ...next, statusUpdatedAt, updatedAt: at, revision }, versions: [], events };
}

/**
 * The events that describe the differences between two states, one per changed property, label or
 * alias.
 */
export function stateEvents(before: PresetState, after: PresetState): readonly NewEvent[] {
  return [
    ...eventIf('preset.slug_changed', { slug: before.slug }, { slug: after.slug }),
    ...aliasEvents(before, after),
    ...detailChanges(detailEvents, before, after).flatMap((change) => eventIf(...change)),
    ...eventIf('preset.tagged', { tags: joinTags(before.tags) }, { tags: joinTags(after.tags) }),
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

/** One text, because events have no lists; null for no tags. */
function joinTags(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : tags.join(', ');
}

/** A changed slug has an event of its own, which implies that the old one is kept as an alias. */
function aliasEvents(before: PresetState, after: PresetState): readonly NewEvent[] {
  const [old, now] = [new Set(namesOf(before)), new Set(namesOf(after))];
  const removed = [...before.aliases.keys()].filter((alias) => !now.has(alias));
  const added = [...after.aliases.keys()].filter((alias) => !old.has(alias));
  return [
    ...removed.map((alias) => newEvent('preset.alias_removed', { alias }, null)),
    ...added.map((alias) => newEvent('preset.alias_added', null, { alias })),
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
  return isSame ? [] : [newEvent(kind, before, after)];
}

export function newEvent(kind: EventKind, before: EventValues | null, after: EventValues | null): NewEvent {
  return { id: newId(), kind, before, after };
}
