import type { CaseContent, Edit, Operation } from './operation.ts';

/** The state of a preset, computed from its events independently of the server's code. */
export interface PresetModel {
  // Set by the first version and never changed.
  readonly id: string;
  readonly creatorUserId: string;
  readonly workspaceId: string;
  readonly createdAt: string;
  // Changed by events.
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: string;
  readonly statusUpdatedAt: string | null;
  readonly updatedAt: string;
  readonly latestVersion: number;
  readonly designatedVersion: number;
  readonly labels: ReadonlyMap<string, { readonly version: number; readonly updatedAt: string }>;
  /** The time of each alias. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Undefined until they are set: servers before 0.7.0 have none. */
  readonly tags: readonly string[] | undefined;
  /** The JSON of each test case, as the API returns it. */
  readonly cases: ReadonlyMap<string, string>;
  /** The number of its events so far. */
  readonly revision: number;
}

export interface ModelEvent {
  readonly kind: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** All values that events can have. Each kind of event has only some of them. */
interface EventValues {
  readonly version: number;
  readonly designated_version: number;
  readonly label: string;
  readonly alias: string;
  readonly case: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: string;
  /** Separated by commas. */
  readonly tags: string | null;
}

/**
 * The events that an operation causes: none if it changes nothing, undefined if the server rejects
 * it.
 */
export function eventsOf(model: PresetModel, operation: Operation): readonly ModelEvent[] | undefined {
  const { slug, status, latestVersion, labels, aliases, cases, designatedVersion } = model;
  if (operation.kind === 'restore')
    return status === 'archived' ? [event('preset.restored', { status }, { status: 'active' })] : [];
  if (operation.kind === 'archive') {
    if (status === 'disabled') return undefined;
    return status === 'archived' ? [] : [event('preset.archived', { status }, { status: 'archived' })];
  }
  if (status === 'archived') return undefined;
  if (operation.kind === 'save-draft') return [];
  switch (operation.kind) {
    case 'create': {
      const version = latestVersion + 1;
      const { note, designate = true } = operation.presetd ?? {};
      const isLive = designate || version === 1;
      const after = {
        version,
        designated_version: isLive ? version : designatedVersion,
        ...(!isLive && { live: false }),
        ...(note !== undefined && { note }),
      };
      if (version === 1) return [event('preset.created', null, after)];
      return [event('preset.version_added', { designated_version: designatedVersion }, after)];
    }
    case 'edit':
      return editEvents(model, operation.changes);
    case 'move-label': {
      const { label, version } = operation;
      const before = labels.get(label)?.version ?? null;
      if (version > latestVersion) return undefined;
      if (before === version) return [];
      return [event('preset.label_moved', { label, version: before }, { label, version })];
    }
    case 'remove-label': {
      const { label } = operation;
      const before = labels.get(label)?.version;
      if (before === undefined) return undefined;
      return [event('preset.label_removed', { label, version: before }, { label, version: null })];
    }
    case 'add-alias': {
      const { alias } = operation;
      if (alias === slug) return undefined;
      return aliases.has(alias) ? [] : [event('preset.alias_added', null, { alias })];
    }
    case 'remove-alias': {
      const { alias } = operation;
      return aliases.has(alias) ? [event('preset.alias_removed', { alias }, null)] : undefined;
    }
    case 'save-case': {
      const { name, content } = operation;
      const before = cases.get(name);
      if (before !== undefined && hasContent(before, content)) return [];
      return [event('preset.case_saved', before === undefined ? null : { case: name }, { case: name })];
    }
    case 'remove-case': {
      const { name } = operation;
      return cases.has(name) ? [event('preset.case_removed', { case: name }, null)] : undefined;
    }
  }
}

/** The preset after an event. `caseText` is the test case that it saved, if it did. */
export function afterEvent(
  model: PresetModel,
  { kind, before, after }: ModelEvent,
  at: string,
  caseText = '',
): PresetModel {
  const next = { ...model, updatedAt: at, revision: model.revision + 1 };
  const values = { ...before, ...after } as unknown as EventValues;
  switch (kind) {
    case 'preset.created':
    case 'preset.version_added':
      return { ...next, latestVersion: values.version, designatedVersion: values.designated_version };
    case 'preset.designated':
      return { ...next, designatedVersion: values.designated_version };
    case 'preset.renamed':
      return { ...next, name: values.name };
    case 'preset.described':
      return { ...next, description: values.description };
    case 'preset.tagged':
      return { ...next, tags: values.tags?.split(', ') ?? [] };
    case 'preset.label_moved':
      return {
        ...next,
        labels: new Map(model.labels).set(values.label, { version: values.version, updatedAt: at }),
      };
    case 'preset.label_removed':
      return { ...next, labels: without(model.labels, values.label) };
    case 'preset.alias_added':
      return { ...next, aliases: new Map(model.aliases).set(values.alias, at) };
    case 'preset.alias_removed':
      return { ...next, aliases: without(model.aliases, values.alias) };
    case 'preset.slug_changed':
      return {
        ...next,
        slug: values.slug,
        aliases: without(model.aliases, values.slug).set(model.slug, at),
      };
    case 'preset.case_saved':
      return { ...next, cases: new Map(model.cases).set(values.case, caseText) };
    case 'preset.case_removed':
      return { ...next, cases: without(model.cases, values.case) };
    default:
      return { ...next, status: values.status, statusUpdatedAt: at };
  }
}

/** The exact response body to an operation that led to this state. */
export function responseTo(operation: Operation, model: PresetModel, designatedText: string): string {
  switch (operation.kind) {
    case 'remove-label':
    case 'remove-alias':
    case 'remove-case':
      return '{"deleted":true}';
    case 'save-case':
      return `{"data":${model.cases.get(operation.name)}}`;
    case 'move-label':
      return JSON.stringify({ data: labelsOnWire(model).find(({ label }) => label === operation.label) });
    case 'add-alias':
      return JSON.stringify({ data: aliasesOnWire(model).find(({ alias }) => alias === operation.alias) });
    default:
      return presetText(model, designatedText);
  }
}

/** The exact response body to a read of the preset. */
export function presetText(model: PresetModel, designatedText: string): string {
  const head = JSON.stringify({
    id: model.id,
    name: model.name,
    slug: model.slug,
    description: model.description,
    status: model.status,
    status_updated_at: model.statusUpdatedAt,
    created_at: model.createdAt,
    updated_at: model.updatedAt,
    creator_user_id: model.creatorUserId,
    workspace_id: model.workspaceId,
    designated_version_id: (JSON.parse(designatedText) as { id: string }).id,
  });
  return `{"data":${head.slice(0, -1)},"designated_version":${designatedText}}}`;
}

/** Labels as the API returns them, sorted by name. */
export function labelsOnWire({ labels }: PresetModel) {
  return [...labels]
    .map(([label, { version, updatedAt }]) => ({ label, version, updated_at: updatedAt }))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
}

/** Aliases as the API returns them, sorted. */
export function aliasesOnWire({ aliases }: PresetModel) {
  return [...aliases]
    .map(([alias, createdAt]) => ({ alias, created_at: createdAt }))
    .sort((a, b) => (a.alias < b.alias ? -1 : 1));
}

/** Whether a test case, as the API returns it, has this content. */
export function hasContent(caseText: string, { variables, messages, note }: CaseContent): boolean {
  const content = JSON.stringify({ variables, messages, note });
  return caseText.includes(`,${content.slice(1, -1)},"event_number":`);
}

/** Test cases as the API returns them, sorted by name. */
export function casesOnWire({ cases }: PresetModel): string {
  const sorted = [...cases].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `{"data":[${sorted.join()}],"total_count":${sorted.length}}`;
}

function without<Value>(entries: ReadonlyMap<string, Value>, removed: string): Map<string, Value> {
  return new Map([...entries].filter(([name]) => name !== removed));
}

function editEvents(model: PresetModel, changes: Edit): readonly ModelEvent[] | undefined {
  const {
    slug = model.slug,
    name = model.name,
    description = model.description,
    status = model.status,
    tags = model.tags ?? [],
    designated_version = model.designatedVersion,
  } = changes;
  if (designated_version > model.latestVersion) return undefined;
  return [
    ...eventIf('preset.slug_changed', 'slug', model.slug, slug),
    ...eventIf('preset.renamed', 'name', model.name, name),
    ...eventIf('preset.described', 'description', model.description, description),
    ...eventIf('preset.tagged', 'tags', joined(model.tags ?? []), joined(tags)),
    ...eventIf(status === 'disabled' ? 'preset.disabled' : 'preset.enabled', 'status', model.status, status),
    ...eventIf('preset.designated', 'designated_version', model.designatedVersion, designated_version),
  ];
}

function joined(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : tags.toSorted().join(', ');
}

function eventIf(kind: string, name: string, before: unknown, after: unknown): readonly ModelEvent[] {
  return before === after ? [] : [event(kind, { [name]: before }, { [name]: after })];
}

function event(kind: string, before: ModelEvent['before'], after: ModelEvent['after']): ModelEvent {
  return { kind, before, after };
}
