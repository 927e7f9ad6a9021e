import { type ProfileWorkspace, readProfiles, withWorkspace, writeProfiles } from '../config/profiles.ts';
import { isUuid } from '../core/organization/workspace.ts';
import type { ApiClient } from './api-client.ts';
import { CommandError } from './command-error.ts';
import { findWorkspace } from './organization-lookup.ts';

/**
 * Saves the workspace that commands use with a profile. The server is asked first: a misspelled
 * workspace would otherwise make every later command fail.
 */
export async function chooseWorkspace(
  api: ApiClient,
  profileName: string,
  idOrSlug: string,
): Promise<ProfileWorkspace> {
  const { id, slug } = await findWorkspace(api, idOrSlug);
  // It becomes part of URLs, and an invalid one would make the file of profiles invalid.
  if (!isUuid(id)) throw new CommandError(`The server sent an invalid id for workspace ${slug}.`);
  const workspace = { id, slug };
  writeProfiles(withWorkspace(readProfiles(), profileName, workspace));
  return workspace;
}
