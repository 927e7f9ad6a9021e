import { PresetdError } from './errors.ts';
import { newId } from './identifiers.ts';
import { existingVersion, labelsMax, unknownLabel } from './label.ts';
import type { Labels, PresetState, PresetStatus, PresetVersion } from './preset.ts';
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
export type Rule = (current: PresetState, at: string) => PresetChange | undefined;

export function edit(wanted: PresetEdit): Rule {
  return (current, at) => {
    assertNotArchived(current, 'changing it');
    const designatedNumber = existingVersion(current, wanted.designatedVersion ?? current.designatedNumber);
    const { name = current.name, description = current.description, status = current.status } = wanted;
    const events = [
      ...eventIf('preset.renamed', { name: current.name }, { name }),
      ...eventIf('preset.described', { description: current.description }, { description }),
      ...statusEvent(current.status, status),
      ...eventIf(
        'preset.designated',
        { designated_version: current.designatedNumber },
        { designated_version: designatedNumber },
      ),
    ];
    return changed(current, at, events, { name, description, status, designatedNumber });
  };
}

export const archive: Rule = (current, at) => {
  if (current.status === 'disabled') {
    throw new PresetdError(
      'conflict',
      `The preset "${current.slug}" is disabled. Make it active before archiving it.`,
    );
  }
  return changed(current, at, statusEvent(current.status, 'archived'), { status: 'archived' });
};

export const restore: Rule = (current, at) =>
  current.status === 'archived'
    ? changed(current, at, statusEvent('archived', 'active'), { status: 'active' })
    : undefined;

export function moveLabel(label: string, version: number): Rule {
  return (current, at) => {
    assertNotArchived(current, 'moving its labels');
    existingVersion(current, version);
    const before = current.labels.get(label)?.version ?? null;
    if (before === null && current.labels.size >= labelsMax) {
      throw new PresetdError(
        'conflict',
        `The preset "${current.slug}" has ${labelsMax} labels, which is as many as there may be. Remove one first.`,
      );
    }
    const events = eventIf('preset.label_moved', { label, version: before }, { label, version });
    const labels = new Map(current.labels).set(label, { version, updatedAt: at });
    return changed(current, at, events, { labels });
  };
}

export function removeLabel(label: string): Rule {
  return (current, at) => {
    assertNotArchived(current, 'moving its labels');
    const before = current.labels.get(label);
    if (before === undefined) throw unknownLabel(current, label);
    const labels: Labels = new Map([...current.labels].filter(([name]) => name !== label));
    const events = eventIf(
      'preset.label_removed',
      { label, version: before.version },
      { label, version: null },
    );
    return changed(current, at, events, { labels });
  };
}

/** Adds the version under the next number and designates it. */
export function addVersion(
  current: PresetState | undefined,
  first: PresetState,
  version: PresetVersion,
): PresetChange {
  if (current?.status === 'archived') throw archivedPreset(current.slug);
  const number = (current?.latestVersion ?? 0) + 1;
  const presetId = (current ?? first).id;
  return {
    at: version.createdAt,
    next: {
      ...(current ?? first),
      latestVersion: number,
      designatedNumber: number,
      updatedAt: version.createdAt,
      revision: (current?.revision ?? 0) + 1,
    },
    versions: [{ ...version, presetId, version: number }],
    events: [versionEvent(version.id, number, current?.designatedNumber ?? null)],
  };
}

export function archivedPreset(slug: string, doing = 'adding a version'): PresetdError {
  return new PresetdError('conflict', `The preset "${slug}" is archived. Restore it before ${doing}.`);
}

function assertNotArchived({ slug, status }: PresetState, doing: string): void {
  if (status === 'archived') throw archivedPreset(slug, doing);
}

function changed(
  current: PresetState,
  at: string,
  events: readonly NewEvent[],
  changes: Partial<PresetState>,
): PresetChange | undefined {
  if (events.length === 0) return undefined;
  const hasNewStatus = changes.status !== undefined && changes.status !== current.status;
  const next = {
    ...current,
    ...changes,
    ...(hasNewStatus && { statusUpdatedAt: at }),
    updatedAt: at,
    revision: current.revision + events.length,
  };
  return { at, next, versions: [], events };
}

const statusEventKinds: Readonly<Record<string, EventKind>> = {
  'active disabled': 'preset.disabled',
  'disabled active': 'preset.enabled',
  'active archived': 'preset.archived',
  'archived active': 'preset.restored',
};

function statusEvent(before: PresetStatus, after: PresetStatus): readonly NewEvent[] {
  const kind = statusEventKinds[`${before} ${after}`];
  return kind === undefined ? [] : eventIf(kind, { status: before }, { status: after });
}

/** None when the values are the same: what changes nothing did not happen. */
export function eventIf(kind: EventKind, before: EventValues, after: EventValues): readonly NewEvent[] {
  const isSame = Object.keys(after).every((name) => before[name] === after[name]);
  return isSame ? [] : [{ id: newId(), kind, before, after }];
}
