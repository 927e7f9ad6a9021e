import { Command } from 'commander';
import { loadConfig } from '../config/server-config.ts';
import { readEnvironment } from '../config/settings.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { newId } from '../core/identifiers.ts';
import { type ApiKey, hashSecret, labelOf, newSecret } from '../core/organization/api-key.ts';
import { operator } from '../core/organization/bootstrap.ts';
import { createKey } from '../core/organization/key-change.ts';
import type { Member } from '../core/organization/organization.ts';
import type { Storage } from '../core/storage.ts';
import { assertMigrated, describeDatabase, openStorage } from '../storage/open.ts';
import { CommandError } from './command-error.ts';
import { parseIdentifier } from './options.ts';
import { printSecret } from './ui/output.ts';

/**
 * The way back in after every management key is lost. It needs no key, only access to the database,
 * and works while servers run: they look the new key up like any other.
 */
export function recoverCommand(): Command {
  return new Command('recover')
    .option(
      '--owner <email or id>',
      'org:admin who will own the key (default: longest-standing admin)',
      parseIdentifier,
    )
    .action(recover);
}

async function recover({ owner: ownerIdOrEmail }: { readonly owner?: string }): Promise<void> {
  const options = loadConfig(readEnvironment()).storage;
  await assertMigrated(options);
  const storage = await openStorage(options);
  try {
    const { secret, owner } = await recoverKey(storage, systemClock, ownerIdOrEmail);
    printSecret(
      secret,
      `Created a management key for ${owner.email} (${describeDatabase(options.database)}). Copy it now; it is not shown again:`,
    );
  } finally {
    await storage.close();
  }
}

/** Only for an `org:admin`: a key can do no more than its owner, and must replace the lost ones. */
async function recoverKey(
  storage: Storage,
  clock: Clock,
  ownerIdOrEmail?: string,
): Promise<{ readonly secret: string; readonly owner: Member }> {
  const first = await storage.organizations.first();
  if (first === undefined)
    throw new CommandError('The database is empty. Start the server once to create the organization.');
  const { organization, admin } = first;
  const owner =
    ownerIdOrEmail === undefined ? admin : await storage.members.find(organization.id, ownerIdOrEmail);
  if (owner === undefined)
    throw new CommandError(`${ownerIdOrEmail} is not a member.`, { kind: 'not_found' });
  if (owner.role !== 'org:admin')
    throw new CommandError(
      `${owner.email} is ${owner.role} and cannot manage the organization. Name an org:admin, such as ${admin.email}.`,
    );
  const secret = newSecret();
  const key: ApiKey = {
    id: newId(),
    secretHash: hashSecret(secret),
    label: labelOf(secret),
    name: 'Created by presetd recover',
    kind: 'management',
    readOnly: false,
    scope: 'write',
    presets: null,
    ownerId: owner.id,
    organizationId: organization.id,
    workspaceId: null,
    disabled: false,
    expiresAt: null,
    createdAt: clock(),
  };
  // The audit log must show that someone with database access did this, not the owner of the key.
  await storage.keys.create(key, operator, (site) => createKey(key, site));
  return { secret, owner };
}
