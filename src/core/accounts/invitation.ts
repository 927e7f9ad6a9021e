import { PresetdError } from '../errors.ts';
import {
  type ExistingUser,
  isMember,
  joinOrganization,
  type MemberInput,
} from '../organization/member-change.ts';
import type { Member } from '../organization/organization.ts';
import type { OrganizationEvent } from '../organization/organization-event.ts';
import type { Workspace } from '../organization/workspace.ts';
import { memberAddedTo } from '../organization/workspace-change.ts';
import type { WorkspaceRole } from '../organization/workspace-role.ts';
import { assertNoIssues } from '../request-issues.ts';
import { accountEvent } from './account-event.ts';

export interface Invitation {
  readonly person: MemberInput;
  readonly workspaces: readonly InvitedWorkspace[];
  /** The link, whose person is known only in the transaction. */
  readonly link: { readonly tokenHash: string; readonly createdAt: string; readonly expiresAt: string };
}

export interface InvitedWorkspace {
  readonly idOrSlug: string;
  readonly role: WorkspaceRole;
}

/** The stored state of an invited address and of the workspaces of the invitation. */
export interface Invitee {
  /** Undefined if nobody has the address. */
  readonly user: ExistingUser | undefined;
  /** Whether the person has signed in or used a key before. */
  readonly hasBeenActive: boolean;
  /** In the order of the invitation; undefined for one that the organization does not have. */
  readonly workspaces: readonly (Workspace | undefined)[];
}

export interface InvitationChange {
  readonly member: Member;
  /** Whether the store adds the member; false for one who was invited before. */
  readonly isNew: boolean;
  /** Roles in workspaces other than the default one. */
  readonly workspaceRoles: readonly { readonly workspaceId: string; readonly role: WorkspaceRole }[];
  readonly events: readonly OrganizationEvent[];
}

/**
 * Adds a person with their roles, or gives somebody who has never signed in another link; their
 * roles stay. Throws `conflict` for a person who can sign in already.
 */
export function invite(
  { person, workspaces, link }: Invitation,
  { user, hasBeenActive, workspaces: found }: Invitee,
): InvitationChange {
  const message = 'is not the id or slug of a workspace';
  assertNoIssues(
    found.flatMap((workspace, index) =>
      workspace === undefined ? [{ path: `/workspaces/${index}/id`, message }] : [],
    ),
  );
  const linked = (member: Member) =>
    accountEvent('account.link_created', member, { expires_at: link.expiresAt });
  if (isMember(user)) {
    if (hasBeenActive)
      throw new PresetdError(
        'conflict',
        `${user.email} is already a member of the organization. Create a sign-in link for them instead.`,
      );
    if (user.deactivatedAt !== null)
      throw new PresetdError('conflict', `${user.email} is deactivated. Reactivate them first.`);
    return { member: user, isNew: false, workspaceRoles: [], events: [linked(user)] };
  }
  const roles = workspaces.map(({ role }, index) => ({ role, workspace: found[index] }));
  const workspaceRole = roles.findLast(({ workspace }) => workspace?.isDefault)?.role ?? 'viewer';
  const { next, events } = joinOrganization({ ...person, workspaceRole }, user, link.createdAt);
  if (next === null) throw new Error('joining an organization removed the member');
  const joined = new Map(
    roles.flatMap(({ workspace, role }) =>
      workspace === undefined || workspace.isDefault ? [] : [[workspace.id, { workspace, role }]],
    ),
  );
  return {
    member: next,
    isNew: true,
    workspaceRoles: [...joined].map(([workspaceId, { role }]) => ({ workspaceId, role })),
    events: [
      ...events,
      ...[...joined.values()].map(({ workspace, role }) => memberAddedTo(workspace, next, role)),
      linked(next),
    ],
  };
}
