import { Command } from 'commander';
import type { Config } from '../config/server-config.ts';
import { systemClock } from '../core/clock.ts';
import { keyWithSecret, newSecret } from '../core/organization/api-key.ts';
import { operator } from '../core/organization/bootstrap.ts';
import { createKey } from '../core/organization/key-change.ts';
import type { Storage } from '../core/storage.ts';
import { describeDatabase } from '../storage/open.ts';
import { CommandError } from './command-error.ts';
import { findPerson, withStorage } from './operator-storage.ts';
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
    .action(({ owner }: { readonly owner?: string }) =>
      withStorage((storage, config) => recover(storage, config, owner)),
    );
}

/** Only for an `org:admin`: a key can do no more than its owner, and must replace the lost ones. */
async function recover(storage: Storage, config: Config, idOrEmail: string | undefined): Promise<void> {
  const { organization, admin, person: owner } = await findPerson(storage, idOrEmail);
  if (owner.role !== 'org:admin')
    throw new CommandError(
      `${owner.email} is ${owner.role} and cannot manage the organization. Name an org:admin, such as ${admin.email}.`,
    );
  const secret = newSecret();
  const key = keyWithSecret(secret, {
    name: 'Created by presetd recover',
    kind: 'management',
    ownerId: owner.id,
    organizationId: organization.id,
    createdAt: systemClock(),
  });
  // The audit log must show that someone with database access did this, not the owner of the key.
  await storage.keys.create(key, operator, (placement) => createKey(key, placement));
  printSecret(
    secret,
    `Created a management key for ${owner.email} (${describeDatabase(config.storage.database)}). Copy it now; it is not shown again:`,
  );
}
