import { expect } from 'vitest';
import type { AuditEvent } from '../../src/core/audit/audit-storage.ts';
import { defaultContentLog } from '../../src/core/content-log/content-log-settings.ts';
import { newId } from '../../src/core/identifiers.ts';
import type { ApiKey, KeyRecord } from '../../src/core/organization/api-key.ts';
import { createKey, editKey, type KeyRule } from '../../src/core/organization/key-change.ts';
import type { MemberDetails } from '../../src/core/organization/member-change.ts';
import { editMember, removeMember } from '../../src/core/organization/member-change.ts';
import type { Member } from '../../src/core/organization/organization.ts';
import type { Workspace, WorkspaceAddress } from '../../src/core/organization/workspace.ts';
import {
  addWorkspaceMembers,
  removeWorkspaceMembers,
  type WorkspaceRule,
  workspaceCreated,
} from '../../src/core/organization/workspace-change.ts';
import type { Storage } from '../../src/core/storage.ts';
import type { Engine } from './engines.ts';
import { addMember, newKey, newMember } from './members.ts';
import { createPresetStorage, owner, type PresetStorage, time } from './preset-storage.ts';

/** A storage with presetd's rules applied, for the first organization of a new database. */
export interface OrganizationStorage extends PresetStorage {
  readonly organizationId: string;
  /** Adds another organization with its own admin. */
  addOrganization(): Promise<WorkspaceAddress & { readonly admin: Member }>;
  addMember(details?: Partial<Member>, at?: string): Promise<Member>;
  /** A new key of the organization's owner, in its default workspace unless given otherwise. */
  newKey(details?: Partial<ApiKey>, secret?: string): ApiKey;
  createKey(key: ApiKey, storage?: Storage): Promise<KeyRecord>;
  /** Applies a rule to a key, two seconds after midnight by default. */
  changeKey(reference: string, rule: KeyRule, at?: string, storage?: Storage): Promise<KeyRecord | undefined>;
  moveKey(
    reference: string,
    workspaceId: string,
    at?: string,
    storage?: Storage,
  ): Promise<KeyRecord | undefined>;
  editMember(
    idOrEmail: string,
    details: MemberDetails,
    at?: string,
    storage?: Storage,
  ): Promise<Member | undefined>;
  removeMember(idOrEmail: string, at?: string, storage?: Storage): Promise<Member | undefined>;
  createWorkspace(slug: string, details?: Partial<Workspace>, storage?: Storage): Promise<Workspace>;
  changeWorkspace(
    idOrSlug: string,
    rule: WorkspaceRule,
    at?: string,
    storage?: Storage,
  ): Promise<Workspace | undefined>;
  changeMembers(
    kind: 'add' | 'remove',
    idOrSlug: string,
    userIds: readonly string[],
    at?: string,
    storage?: Storage,
  ): ReturnType<Storage['workspaces']['changeMembers']>;
  /** The audit events of this moment, oldest first. */
  eventsAt(at: string): Promise<readonly AuditEvent[]>;
}

export async function createOrganizationStorage(engine: Engine): Promise<OrganizationStorage> {
  const base = await createPresetStorage(engine);
  const { storage: first, author } = base;
  const { organizationId, workspaceId } = base.workspace;
  return {
    ...base,
    organizationId,
    async addOrganization() {
      const another = await base.addWorkspace('another');
      const admin = await addMember(first, another.organizationId, newMember({ role: 'org:admin' }), time(0));
      return { ...another, admin };
    },
    addMember: (details = {}, at = time(1)) => addMember(first, organizationId, newMember(details), at),
    newKey: (details = {}, secret) => {
      const kind = details.kind ?? 'api';
      const scope = { organizationId, workspaceId: kind === 'api' ? workspaceId : null };
      return newKey({ ownerId: owner.id, kind, ...scope, createdAt: time(1), ...details }, secret);
    },
    createKey: (key, { keys } = first) => keys.create(key, author, (site) => createKey(key, site)),
    changeKey: (reference, rule, at = time(2), { keys } = first) =>
      keys.change(organizationId, reference, author, (current) => rule(current, at)),
    moveKey: (reference, workspaceId, at = time(2), { keys } = first) =>
      keys.change(
        organizationId,
        reference,
        author,
        (current, destination) => editKey({ workspaceId })(current, at, destination),
        workspaceId,
      ),
    editMember: (idOrEmail, details, at = time(2), { members } = first) =>
      members.change(organizationId, idOrEmail, author, (current, isLastAdmin) =>
        editMember(details)(current, isLastAdmin, at),
      ),
    removeMember: (idOrEmail, at = time(2), { members } = first) =>
      members.change(organizationId, idOrEmail, author, (current, isLastAdmin) =>
        removeMember(current, isLastAdmin, at),
      ),
    createWorkspace(slug, details = {}, { workspaces } = first) {
      const workspace: Workspace = {
        id: newId(),
        organizationId,
        slug,
        name: slug,
        description: null,
        createdBy: owner.id,
        createdAt: time(1),
        updatedAt: null,
        isDefault: false,
        memberCount: 1,
        contentLog: defaultContentLog,
        ...details,
      };
      return workspaces.create(workspace, author, (creator) => workspaceCreated(workspace, creator));
    },
    changeWorkspace: (idOrSlug, rule, at = time(2), { workspaces } = first) =>
      workspaces.change(
        organizationId,
        idOrSlug,
        author,
        (current, activeKeys) => rule(current, activeKeys, at),
        at,
      ),
    changeMembers(kind, idOrSlug, userIds, at = time(2), { workspaces } = first) {
      const rule = kind === 'add' ? addWorkspaceMembers('editor') : removeWorkspaceMembers;
      const decide: Parameters<typeof workspaces.changeMembers>[3]['decide'] = (workspace, candidates) =>
        rule(workspace, candidates, at);
      return workspaces.changeMembers(organizationId, idOrSlug, author, { kind, userIds, decide }, at);
    },
    async eventsAt(at) {
      const until = new Date(Date.parse(at) + 1).toISOString();
      const found = await first.audit.list(organizationId, { since: at, until }, 10_000);
      for (const event of found) expect(event).toMatchObject({ createdAt: at });
      return found.toReversed();
    },
  };
}
