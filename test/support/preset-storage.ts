import { expect } from 'vitest';
import type { Author } from '../../src/core/event.ts';
import { newId, newUserId } from '../../src/core/identifiers.ts';
import type { WorkspaceAddress } from '../../src/core/organization/workspace.ts';
import type { Preset, PresetAddress, PresetState } from '../../src/core/presets/preset.ts';
import type { PresetRule } from '../../src/core/presets/preset-change.ts';
import type { PresetEvent } from '../../src/core/presets/preset-event.ts';
import type { ChangedPreset, NewVersion } from '../../src/core/presets/preset-storage.ts';
import type { Storage } from '../../src/core/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createMigratedDatabase, type TestDatabase } from './database.ts';
import type { Engine } from './engines.ts';
import { storageOptions } from './storage-options.ts';

/** A storage on its own database, with shortcuts for tests of presets in one workspace. */
export interface PresetStorage {
  readonly database: TestDatabase;
  readonly storage: Storage;
  /** The default workspace of the first organization. */
  readonly workspace: WorkspaceAddress;
  readonly author: Author;
  address(slug: string): PresetAddress;
  /** A version to create, with defaults for everything but the slug. */
  newVersion(slug: string, changes?: Partial<NewVersion>): NewVersion;
  /** Creates the next version, this many seconds after midnight. */
  create(slug: string, seconds?: number, changes?: Partial<NewVersion>): Promise<Preset>;
  /** Applies a rule to a preset that must exist. */
  apply(slug: string, rule: PresetRule, at?: string, storage?: Storage): Promise<ChangedPreset | undefined>;
  find(slug: string): Promise<Preset | undefined>;
  /** The state of a preset that must exist. */
  state(slug: string): Promise<PresetState>;
  /** Oldest first. */
  events(slug: string): Promise<readonly PresetEvent[]>;
  /** The words that a preset is found by, sorted. */
  words(slug: string): Promise<readonly unknown[]>;
  /** Adds a workspace, to the first organization or to a new one. */
  addWorkspace(of: 'first' | 'another'): Promise<WorkspaceAddress>;
  /** Opens another storage on the same database, as a second process would. */
  open(): Promise<Storage>;
  /** Closes all storages that were opened and drops the database. */
  close(): Promise<void>;
}

/** The owner of the first organization. */
export const owner = {
  id: newUserId(),
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'L',
  role: 'org:admin',
  workspaceRole: 'admin',
  deactivatedAt: null,
} as const;

/** A time on the day that tests take place, in seconds after midnight. */
export function time(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 2) + seconds * 1_000).toISOString();
}

/** Creates a database with one organization and its default workspace, without presets. */
export async function createPresetStorage(engine: Engine): Promise<PresetStorage> {
  const database = await createMigratedDatabase(engine);
  const opened: Storage[] = [];
  const open = async () => {
    const storage = await openStorage(storageOptions(database));
    opened.push(storage);
    return storage;
  };
  const storage = await open();
  const organization = { id: newId(), name: 'Acme', defaultWorkspaceId: newId() };
  await storage.organizations.bootstrap({
    organization,
    workspace: { slug: 'default', name: 'Default' },
    owner,
    keys: [],
    createdAt: time(0),
  });
  const workspace = { organizationId: organization.id, workspaceId: organization.defaultWorkspaceId };
  const author = { userId: owner.id, keyLabel: 'sk-pst-v1-ab1…9f2' };
  const address = (slug: string) => ({ ...workspace, slug });
  const newVersion = (slug: string, changes: Partial<NewVersion> = {}): NewVersion => ({
    ...address(slug),
    presetId: newId(),
    versionId: newId(),
    author,
    dialect: 'messages',
    configJson: '{"model":"m"}',
    extensionJson: null,
    systemPrompt: null,
    createdAt: time(0),
    ...changes,
  });
  const state = async (slug: string) => {
    const found = await storage.presets.state(address(slug));
    return found ?? expect.fail(`no preset ${slug}`);
  };
  return {
    database,
    storage,
    workspace,
    author,
    address,
    newVersion,
    create: (slug, seconds = 0, changes = {}) =>
      storage.presets.createVersion(newVersion(slug, { createdAt: time(seconds), ...changes })),
    find: (slug) => storage.presets.find(address(slug)),
    state,
    events: async (slug) =>
      (await storage.presets.events(await state(slug), { offset: 0, limit: 10_000 })).toReversed(),
    words: async (slug) => {
      const rows = await database.sql(
        `SELECT w.word, w.workspace_id FROM preset_words w JOIN presets p ON p.id = w.preset_id
         WHERE p.slug = '${slug}' ORDER BY w.word`,
      );
      for (const row of rows) expect(row.workspace_id).toBe(workspace.workspaceId);
      return rows.map((row) => row.word);
    },
    apply: (slug, rule, at = time(1), { presets } = storage) =>
      presets.change(address(slug), author, (current) => {
        if (current === undefined) throw new Error(`no preset ${slug}`);
        return rule(current, at);
      }),
    addWorkspace: (of) => addWorkspace(database, of === 'first' ? organization.id : undefined),
    open,
    async close() {
      await Promise.all(opened.map((each) => each.close()));
      await database.drop();
    },
  };
}

/**
 * Inserts the workspace directly: presetd has no way to create an organization besides the first.
 */
async function addWorkspace(
  database: TestDatabase,
  knownOrganizationId: string | undefined,
): Promise<WorkspaceAddress> {
  const organizationId = knownOrganizationId ?? newId();
  const workspaceId = newId();
  const organization = `INSERT INTO organizations (id, name, default_workspace_id, created_at)
    VALUES ('${organizationId}', 'Another', '${workspaceId}', '${time(0)}')`;
  const workspace = `INSERT INTO workspaces (id, organization_id, slug, name, created_at)
    VALUES ('${workspaceId}', '${organizationId}', '${workspaceId}', 'More', '${time(0)}')`;
  await database.transaction(...(knownOrganizationId === undefined ? [organization] : []), workspace);
  return { organizationId, workspaceId };
}
