import { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { type ApiKey, hashSecret, labelOf, newSecret } from '../core/api-key.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { newId } from '../core/identifiers.ts';
import { createKey } from '../core/key-change.ts';
import type { Member } from '../core/organization.ts';
import type { Storage } from '../core/storage.ts';
import { readEnvironment } from '../settings.ts';
import { assertMigrated, openStorage, placeOf } from '../storage/open.ts';
import { CommandError } from './command-error.ts';
import { parseIdentifier } from './identifier-option.ts';
import { printSecret } from './print-secret.ts';

export function recoverCommand(): Command {
  return new Command('recover')
    .option(
      '--owner <email or id>',
      'org:admin who owns the key (default: the one who has been it for longest)',
      parseIdentifier,
    )
    .action(recover);
}

async function recover({ owner: asked }: { readonly owner?: string }): Promise<void> {
  const options = loadConfig(readEnvironment()).storage;
  await assertMigrated(options);
  const storage = await openStorage(options);
  try {
    const { secret, owner } = await recoverKey(storage, systemClock, asked);
    printSecret(
      secret,
      `Made a management key for ${owner.email} (${placeOf(options.database)}). It is shown only now:`,
    );
  } finally {
    await storage.close();
  }
}

/** Makes a management key for an `org:admin`: for another it could not do what the lost ones did. */
async function recoverKey(
  storage: Storage,
  clock: Clock,
  ownerIdOrEmail?: string,
): Promise<{ readonly secret: string; readonly owner: Member }> {
  const first = await storage.organizations.first();
  if (first === undefined)
    throw new CommandError('The database is empty. Start the server once; it makes the organization.');
  const { organization, admin } = first;
  const owner =
    ownerIdOrEmail === undefined ? admin : await storage.members.find(organization.id, ownerIdOrEmail);
  if (owner === undefined)
    throw new CommandError(`${ownerIdOrEmail} is not a member.`, { kind: 'not_found' });
  if (owner.role !== 'org:admin')
    throw new CommandError(
      `${owner.email} is ${owner.role}, whose key could not manage the organization: name an org:admin, such as ${admin.email}.`,
    );
  const secret = newSecret();
  const key: ApiKey = {
    id: newId(),
    secretHash: hashSecret(secret),
    label: labelOf(secret),
    name: 'Made by presetd recover',
    kind: 'management',
    readOnly: false,
    ownerId: owner.id,
    organizationId: organization.id,
    workspaceId: null,
    disabled: false,
    expiresAt: null,
    createdAt: clock(),
  };
  // Whoever has the database does this, and not the owner of the key.
  const operator = { userId: 'operator', keyLabel: null };
  await storage.keys.create(key, operator, (site) => createKey(key, site));
  return { secret, owner };
}
