import type { EventValues } from '../event.ts';
import type { EventSubject } from '../organization/organization-event.ts';
import type { AuditKind } from './audit-kinds.ts';

/** The port for the audit log. `core/storage.ts` says what holds for every method. */
export interface AuditStore {
  /** Lists events, newest first. */
  list(organizationId: string, filter: AuditFilter, limit: number): Promise<readonly AuditEvent[]>;
  /**
   * Returns the user id for an id or email address, of former members too; `undefined` if unknown.
   */
  findActor(idOrEmail: string): Promise<string | undefined>;
  /**
   * Returns the id of a workspace. Finds a deleted one by id; `undefined` if the organization never
   * had it.
   */
  findWorkspace(organizationId: string, idOrSlug: string): Promise<string | undefined>;
  /**
   * Returns the id of a preset in any status by its slug or an alias; `undefined` if the workspace
   * has none with this name.
   */
  findPreset(workspaceId: string, slug: string): Promise<string | undefined>;
}

/** Conditions that an event must meet. An absent field does not filter. */
export interface AuditFilter {
  readonly actorId?: string | undefined;
  /** The event has one of these kinds. */
  readonly kinds?: readonly AuditKind[] | undefined;
  readonly workspaceId?: string | undefined;
  /** A preset belongs to one workspace, so `workspaceId` is not needed with it. */
  readonly presetId?: string | undefined;
  /** Inclusive. */
  readonly since?: string | undefined;
  /** Exclusive. */
  readonly until?: string | undefined;
  /** The last event of the previous page. The list continues after it. */
  readonly after?: { readonly createdAt: string; readonly id: string } | undefined;
}

/** An event as the audit log lists it: of the organization or of one of its presets. */
export interface AuditEvent {
  readonly id: string;
  readonly kind: AuditKind;
  readonly workspaceId: string | null;
  /** The current name, or the last one of a deleted workspace. */
  readonly workspaceName: string | null;
  /** The current slug; null if the workspace was deleted. */
  readonly workspaceSlug: string | null;
  readonly subject: EventSubject;
  readonly actorId: string;
  readonly actorEmail: string | null;
  /** Null for a change made without a key, such as by `presetd recover`. */
  readonly keyLabel: string | null;
  readonly before: EventValues | null;
  readonly after: EventValues | null;
  readonly createdAt: string;
}
