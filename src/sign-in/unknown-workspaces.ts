import type { Storage } from '../core/storage.ts';
import type { SignInSettings } from './sign-in-settings.ts';

interface UnknownWorkspace {
  readonly slug: string;
  /** The names of the groups that give a role in it. */
  readonly groups: readonly string[];
}

/**
 * Finds the workspaces that groups of the settings name and that do not exist. Groups give roles in
 * the others only, so a misspelled slug would go unnoticed.
 */
export async function findUnknownWorkspaces(
  { groups }: SignInSettings,
  { organizations, workspaces }: Pick<Storage, 'organizations' | 'workspaces'>,
): Promise<readonly UnknownWorkspace[]> {
  const slugs = new Set(groups.flatMap((group) => Object.keys(group.workspaces)));
  const first = slugs.size === 0 ? undefined : await organizations.first();
  if (first === undefined) return [];
  const unknown: UnknownWorkspace[] = [];
  for (const slug of slugs) {
    const found = await workspaces.find(first.organization.id, slug);
    if (found?.slug === slug) continue;
    const naming = groups.filter((group) => Object.hasOwn(group.workspaces, slug));
    unknown.push({ slug, groups: [...new Set(naming.map(({ name }) => name))] });
  }
  return unknown;
}
