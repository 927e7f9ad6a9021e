/**
 * Roles of a person in a workspace. A viewer reads and calls presets. An editor also writes
 * versions and labels. An admin also changes the live version, archives, and manages keys and
 * members. An org:admin is an admin of every workspace.
 */
export const workspaceRoles = ['viewer', 'editor', 'admin'] as const;

export type WorkspaceRole = (typeof workspaceRoles)[number];
