import type { VersionPair } from '../../components/preset-links.ts';

/** The fields of an event that identify its versions. */
export interface EventFields {
  readonly kind: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/**
 * The versions between which an event moved the live version or a label, or the live version and
 * the one that was added without going live; undefined for other events.
 */
export function versionsChangedBy({ kind, before, after }: EventFields): VersionPair | undefined {
  const field = kind === 'preset.label_moved' ? 'version' : 'designated_version';
  const isAdded = kind === 'preset.version_added' && isNotLive(after);
  const [from, to] = [before?.[field], isAdded ? after?.version : after?.[field]];
  return isVersion(from) && isVersion(to) && from !== to ? { from, to } : undefined;
}

/** Whether an event added a version without making it live, by what it records of it. */
export function isNotLive(after: EventFields['after']): boolean {
  return after?.designated_version !== undefined && after.designated_version !== after.version;
}

export function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
