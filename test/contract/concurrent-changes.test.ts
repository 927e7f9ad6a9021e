import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PresetdError } from '../../src/core/errors.ts';
import { assertPrecondition, type Precondition, presetEtag } from '../../src/core/presets/precondition.ts';
import type { Preset, PresetState, PresetVersion } from '../../src/core/presets/preset.ts';
import {
  addVersion,
  archive,
  edit,
  emptyPreset,
  moveLabel,
  type PresetRule,
  removeLabel,
  restore,
} from '../../src/core/presets/preset-change.ts';
import type { PresetEvent } from '../../src/core/presets/preset-event.ts';
import type { Storage } from '../../src/core/storage.ts';
import { splitWords } from '../../src/core/text/words.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';
import { createRandom } from '../support/random.ts';

const slugs = ['one', 'two', 'three'];
const labels = ['blue', 'green', 'production'];
const operationCount = 600;
const atOnce = 24;

describe.each(engines)('concurrent changes by two processes on %s', (engine) => {
  const random = createRandom(20_260_102);
  let preset: PresetStorage;
  /** The responses to all creates. */
  const created: Preset[] = [];
  const rejections = new Set<string>();
  const histories = new Map<string, History>();

  interface History {
    readonly state: PresetState;
    readonly versions: readonly PresetVersion[];
    /** Oldest first. */
    readonly events: readonly PresetEvent[];
  }

  beforeAll(async () => {
    preset = await createPresetStorage(engine);
    const storages = [preset.storage, await preset.open()];
    const operations = Array.from({ length: operationCount }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: atOnce }, async (_, worker) => {
        for (const index of operations) await attempt(storages[worker % 2] ?? preset.storage, index);
      }),
    );
    for (const slug of slugs) histories.set(slug, await historyOf(slug));
  });
  afterAll(() => preset.close());

  async function attempt(storage: Storage, index: number): Promise<void> {
    try {
      await operate(storage, random.pick(slugs), time(index));
    } catch (error) {
      if (!(error instanceof PresetdError)) throw error;
      rejections.add(error.kind);
    }
  }

  async function operate(storage: Storage, slug: string, at: string): Promise<void> {
    const version = () => random.below(12) + 1;
    const apply = (rule: PresetRule) => preset.apply(slug, rule, at, storage);
    const operations: (() => Promise<unknown>)[] = [
      () => create(storage, slug, at),
      () => create(storage, slug, at),
      () => createConditionally(storage, slug, at),
      () => createIdempotently(storage, slug, at),
      () => apply(edit({ designatedVersion: version() })),
      () => apply(edit({ name: random.pick(['Ada', 'Bob', 'Größe']), description: at })),
      () => apply(edit({ status: random.pick(['active', 'disabled']), name: random.pick(['Eva', 'Ada']) })),
      () => apply(moveLabel(random.pick(labels), version())),
      () => apply(moveLabel(random.pick(labels), version())),
      () => apply(removeLabel(random.pick(labels))),
      () => apply(archive),
      () => apply(restore),
      () => apply(restore),
    ];
    // A preset without versions can only be created.
    const exists = (await storage.presets.state(preset.address(slug))) !== undefined;
    await (exists ? random.pick(operations) : random.pick(operations.slice(0, 4)))();
  }

  async function create(storage: Storage, slug: string, at: string): Promise<void> {
    created.push(await storage.presets.createVersion(preset.newVersion(slug, { createdAt: at })));
  }

  async function createConditionally(storage: Storage, slug: string, at: string): Promise<void> {
    const known = await storage.presets.state(preset.address(slug));
    await createByRule(storage, slug, at, known ? { ifMatch: [presetEtag(known)] } : { mustBeNew: true });
  }

  async function createIdempotently(storage: Storage, slug: string, at: string): Promise<void> {
    const key = `${slug}-${random.below(8)}`;
    await createByRule(storage, slug, at, {}, { key, requestHash: '', at, expiredBefore: time(-1) });
  }

  async function createByRule(
    { presets }: Storage,
    slug: string,
    at: string,
    precondition: Precondition,
    idempotencyKey?: Parameters<Storage['presets']['change']>[3],
  ): Promise<void> {
    const version = preset.newVersion(slug, { createdAt: at });
    const decide = (current: PresetState | undefined) => {
      assertPrecondition(current, precondition);
      return addVersion(current ?? emptyPreset(version, version.presetId, owner.id, at), {
        id: version.versionId,
        presetId: version.presetId,
        version: 0,
        dialect: version.dialect,
        configJson: version.configJson,
        systemPrompt: version.systemPrompt,
        extensionJson: version.extensionJson,
        creatorId: owner.id,
        createdAt: at,
      });
    };
    const changed = await presets.change(version, preset.author, decide, idempotencyKey);
    if (changed !== undefined && !changed.isReplay) created.push(changed.preset);
  }

  async function historyOf(slug: string): Promise<History> {
    const { presets } = preset.storage;
    const state = (await presets.state(preset.address(slug))) ?? expect.fail(`no preset ${slug}`);
    const all = { offset: 0, limit: 10_000 };
    const events = await presets.events(state, all);
    return { state, versions: await presets.versions(state.id, all), events: events.toReversed() };
  }

  const historiesOf = () => [...histories.values()];

  it('concurrent changes are rejected only when they contradict the current state', () => {
    expect(rejections.size).toBeGreaterThan(0);
    for (const kind of rejections) expect(['conflict', 'not_found', 'precondition_failed']).toContain(kind);
    for (const { state, events } of historiesOf()) {
      expect(state.latestVersion).toBeGreaterThan(10);
      expect(new Set(events.map(({ kind }) => kind)).size).toBeGreaterThan(7);
    }
  });

  it('concurrent changes leave versions 1 to n, with the live version and all labels among them', () => {
    for (const { state, versions } of historiesOf()) {
      expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1));
      expect(state.latestVersion).toBe(versions.length);
      for (const number of [
        state.designatedNumber,
        ...[...state.labels.values()].map(({ version }) => version),
      ])
        expect(versions[number - 1]?.presetId).toBe(state.id);
    }
  });

  it('concurrent changes leave events numbered up to the revision, one for each version', () => {
    for (const { state, versions, events } of historiesOf()) {
      expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
      expect(state.revision).toBe(events.length);
      const added = events.filter(({ kind }) => kind === 'preset.created' || kind === 'preset.version_added');
      expect(added.map(({ id, after }) => [id, after?.version])).toEqual(
        versions.map(({ id, version }) => [id, version]),
      );
    }
  });

  it('every acknowledged create is stored, with the revision of its event', () => {
    expect(created.length).toBeGreaterThan(50);
    for (const { slug, revision, designatedVersion } of created) {
      const history = histories.get(slug);
      expect(history?.versions[designatedVersion.version - 1]).toEqual(designatedVersion);
      expect(history?.events[revision - 1]?.id).toBe(designatedVersion.id);
    }
    const stored = historiesOf().reduce((sum, { versions }) => sum + versions.length, 0);
    expect(created).toHaveLength(stored);
  });

  it('replaying the events of a preset yields its current state', () => {
    for (const { state, events } of historiesOf()) {
      const { name, description, status, designatedNumber } = state;
      expect(replay(state.slug, events)).toEqual({
        name,
        description,
        status,
        designated_version: designatedNumber,
        labels: Object.fromEntries([...state.labels].map(([label, { version }]) => [label, version])),
      });
    }
  });

  it('concurrent changes keep the counts and search words of presets correct', async () => {
    const { presets } = preset.storage;
    for (const { state } of historiesOf()) {
      const rows = await preset.database.sql(`SELECT word FROM preset_words WHERE preset_id = '${state.id}'`);
      const words = splitWords(state.slug, state.name, state.description);
      expect(rows.map(({ word }) => word).sort()).toEqual([...words].sort());
      const filter = { statuses: [state.status], words: undefined };
      const listed = await presets.list(preset.workspace, filter, { offset: 0, limit: 10 });
      expect(listed?.totalCount).toBe(
        historiesOf().filter((history) => history.state.status === state.status).length,
      );
    }
  });
});

/** Replays the events of a preset. Each must start from the state that the one before it left. */
function replay(slug: string, events: readonly PresetEvent[]) {
  const values: Record<string, unknown> = { name: slug, description: null, status: 'active' };
  const versions: Record<string, unknown> = {};
  for (const { number, kind, before, after } of events) {
    if (kind === 'preset.label_moved' || kind === 'preset.label_removed') {
      const label = String(after?.label);
      expect([number, before]).toEqual([number, { label, version: versions[label] ?? null }]);
      if (kind === 'preset.label_removed') {
        expect(after?.version).toBeNull();
        delete versions[label];
      } else versions[label] = after?.version;
      continue;
    }
    const known = Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, values[name]]));
    expect([number, kind, before]).toEqual([number, kind, number === 1 ? null : known]);
    const { version: _, ...changes } = after ?? {};
    expect(Object.keys(changes)).toEqual(number === 1 ? ['designated_version'] : Object.keys(before ?? {}));
    Object.assign(values, changes);
  }
  return { ...values, labels: versions };
}
