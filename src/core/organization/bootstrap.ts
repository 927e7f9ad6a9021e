import { createSignInLink } from '../accounts/sign-in-link.ts';
import type { Clock } from '../clock.ts';
import { newId, newUserId } from '../identifiers.ts';
import type { Storage } from '../storage.ts';
import { keyWithSecret, newSecret } from './api-key.ts';
import type { Member } from './organization.ts';

interface BootstrapSettings {
  readonly owner: { readonly email: string; readonly firstName: string; readonly lastName: string };
  /** Chosen by the operator; generated when undefined. */
  readonly apiKey: string | undefined;
  readonly managementKey: string | undefined;
}

/** The secrets of the first two keys. They are shown once and stored only as hashes. */
export interface FirstKeys {
  readonly apiKey: string;
  readonly managementKey: string;
  /** The token of a link that signs the owner in once. */
  readonly linkToken: string;
}

/**
 * Creates the first organization, its default workspace, its owner, two keys and a sign-in link in
 * an empty database. Returns undefined, and changes nothing, if an organization exists.
 */
export async function bootstrap(
  { organizations, accounts }: Pick<Storage, 'organizations' | 'accounts'>,
  clock: Clock,
  settings: BootstrapSettings,
): Promise<FirstKeys | undefined> {
  const createdAt = clock();
  const owner: Member = {
    id: newUserId(),
    role: 'org:admin',
    workspaceRole: 'admin',
    deactivatedAt: null,
    ...settings.owner,
  };
  const organization = { id: newId(), name: 'Default organization', defaultWorkspaceId: newId() };
  const secrets = {
    apiKey: settings.apiKey ?? newSecret(),
    managementKey: settings.managementKey ?? newSecret(),
  };
  const shared = { ownerId: owner.id, organizationId: organization.id, createdAt };
  const keys = [
    keyWithSecret(secrets.apiKey, {
      ...shared,
      name: 'First API key',
      kind: 'api',
      workspaceId: organization.defaultWorkspaceId,
    }),
    keyWithSecret(secrets.managementKey, { ...shared, name: 'First management key', kind: 'management' }),
  ];
  const isFirst = await organizations.bootstrap({
    organization,
    workspace: { slug: 'default', name: 'Default' },
    owner,
    keys,
    createdAt,
  });
  if (!isFirst) return undefined;
  const person = { organizationId: organization.id, userId: owner.id };
  const link = await createSignInLink(accounts, clock, person, operator);
  if (link === undefined) throw new Error('the owner who was just created is missing');
  return { ...secrets, linkToken: link.token };
}

/** For changes of someone with access to the machine, such as `presetd recover`. */
export const operator = { userId: 'operator', keyLabel: null };
