import type { Actor } from '../organization/actor.ts';
import type { OrganizationEvent } from '../organization/organization-event.ts';
import type { Workspace, WorkspaceAddress } from '../organization/workspace.ts';
import type { ContentLogSettings } from './content-log-settings.ts';

/** The port for the content of calls. `core/storage.ts` says what holds for every method. */
export interface ContentStore {
  /** Stores the content of calls. That of a call which is stored already stays as it is. */
  write(contents: readonly StoredContent[]): Promise<void>;
  /**
   * Returns the content of a call, and stores the event that says so. Undefined, without an event,
   * if none is stored, or the workspace was deleted.
   */
  read(
    address: WorkspaceAddress,
    callId: string,
    actor: Actor,
    at: string,
    describe: (workspace: Workspace) => OrganizationEvent,
  ): Promise<string | undefined>;
  /** The workspaces with greater ids that may have content, in the order of their ids. */
  retentions(after: string, limit: number): Promise<readonly ContentRetention[]>;
  /** Deletes content of calls with smaller ids, at most so many, and returns their number. */
  deleteBefore(workspaceId: string, callId: string, limit: number): Promise<number>;
}

export interface StoredContent {
  readonly workspaceId: string;
  readonly callId: string;
  /** A `CallContent`. */
  readonly contentJson: string;
}

export interface ContentRetention {
  readonly workspaceId: string;
  readonly settings: ContentLogSettings;
  readonly isDeleted: boolean;
}
