import { Command, InvalidArgumentError } from 'commander';
import { type ApiKey, hashSecret, type ListedKey, labelOf, newSecret } from '../core/api-key.ts';
import { systemClock } from '../core/clock.ts';
import { PresetdError } from '../core/errors.ts';
import { newId } from '../core/identifiers.ts';
import { parseCount, parseLimit } from './count-option.ts';
import { parseName } from './name-option.ts';
import { formatTable } from './table.ts';
import { type OrganizationContext, withOrganization } from './with-organization.ts';

export function keyCommand(): Command {
  const command = new Command('key');
  command
    .command('create')
    .description('make a key and print it, this once, on standard output')
    .option('--name <text>', 'what the key is for', parseName, 'Made on the command line')
    .option('--management', 'a key for administration instead of one for presets')
    .option('--read-only', 'a management key that may only read')
    .option('--personal', 'a management key that is tied to no organization')
    .option('--owner <email or id>', 'member who owns the key (default: the first admin)')
    .option('--workspace <slug or id>', 'workspace of an API key (default: the default one)')
    .option('--expires-at <time>', 'ISO 8601 time after which the key is refused', parseTime)
    .action((options: CreateOptions) => withOrganization((context) => createKey(context, options)));
  command
    .command('list')
    .description('list keys, newest first')
    .option('--limit <count>', 'how many', parseLimit, 100)
    .option('--offset <count>', 'how many to skip', parseCount, 0)
    .action((page: { limit: number; offset: number }) =>
      withOrganization(async ({ storage }) => printKeys(await storage.keys.list(page))),
    );
  command
    .command('disable')
    .description('refuse a key from now on; a running server follows within a second')
    .argument('<label or id>', 'as "key list" shows it')
    .action((idOrLabel: string) => withOrganization((context) => disableKey(context, idOrLabel)));
  return command;
}

interface CreateOptions {
  readonly name: string;
  readonly management?: true;
  readonly readOnly?: true;
  readonly personal?: true;
  readonly owner?: string;
  readonly workspace?: string;
  readonly expiresAt?: string;
}

async function createKey(
  { storage, organization, admin }: OrganizationContext,
  options: CreateOptions,
): Promise<void> {
  const isManagement = Boolean(options.management || options.readOnly || options.personal);
  if (isManagement && options.workspace !== undefined) {
    throw new PresetdError(
      'invalid_request',
      'A management key works in every workspace; leave --workspace out.',
    );
  }
  const owner =
    options.owner === undefined ? admin : await storage.members.find(organization.id, options.owner);
  if (owner === undefined) throw new PresetdError('not_found', `${options.owner} is not a member.`);
  const workspace = options.workspace ?? organization.defaultWorkspaceId;
  const found = await storage.organizations.findWorkspace(organization.id, workspace);
  if (found === undefined) throw new PresetdError('not_found', `There is no workspace ${workspace}.`);
  const secret = newSecret();
  await storage.keys.create({
    id: newId(),
    secretHash: hashSecret(secret),
    label: labelOf(secret),
    name: options.name,
    kind: isManagement ? 'management' : 'api',
    readOnly: options.readOnly ?? false,
    ownerId: owner.id,
    organizationId: options.personal ? null : organization.id,
    workspaceId: isManagement ? null : found.id,
    disabled: false,
    expiresAt: options.expiresAt ?? null,
    createdAt: systemClock(),
  });
  const kind = `${options.personal ? 'personal ' : ''}${options.readOnly ? 'read-only ' : ''}${isManagement ? 'management' : 'API'}`;
  console.error(`Made ${kind === 'API' ? 'an' : 'a'} ${kind} key for ${owner.email}. It is shown only now:`);
  console.log(secret);
}

function printKeys(keys: readonly ListedKey[]): void {
  const rows = keys.map((key) => [
    key.label,
    key.organizationId === null ? 'personal management' : key.kind,
    key.readOnly ? 'read' : 'read-write',
    stateOf(key),
    key.createdAt,
    key.id,
    key.ownerHasLeft ? `${key.ownerEmail} (left)` : key.ownerEmail,
    key.name,
  ]);
  console.log(formatTable(['LABEL', 'KIND', 'ACCESS', 'STATE', 'CREATED', 'ID', 'OWNER', 'NAME'], rows));
}

function stateOf(key: ApiKey): string {
  if (key.disabled) return 'disabled';
  if (key.expiresAt === null) return 'active';
  return key.expiresAt <= systemClock() ? 'expired' : `until ${key.expiresAt}`;
}

async function disableKey({ storage }: OrganizationContext, idOrLabel: string): Promise<void> {
  const key = await storage.keys.disable(idOrLabel);
  if (key === undefined)
    throw new PresetdError('not_found', `There is no key ${idOrLabel}. See "presetd key list".`);
  console.log(`Disabled ${key.label} (${key.name}).`);
}

function parseTime(text: string): string {
  const time = new Date(/^\d{4}-\d\d-\d\d(T.*)?$/.test(text) ? text : Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be a time such as 2027-01-31T00:00:00Z.');
  return time.toISOString();
}
