import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Account } from '../../../../src/api/account.ts';
import type { Key } from '../../../../src/api/keys.ts';
import { spentText } from '../../../../src/core/organization/limit-text.ts';
import { type Directory, useDirectory } from '../../api/organization.ts';
import type { RowSource } from '../../api/row-source.ts';
import { useSession } from '../../api/session.ts';
import { workspacePath } from '../../components/addresses.ts';
import { Badge } from '../../components/badge.tsx';
import { classNames } from '../../components/class-names.ts';
import type { Column } from '../../components/data-table/column.ts';
import { DataTable, type DataTableProps } from '../../components/data-table/data-table.tsx';
import { RowButton } from '../../components/data-table/table-line.tsx';
import type { RowMenu } from '../../components/data-table/table-options.ts';
import { capitalize } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import styles from '../organization/organization.module.css';
import { PersonName, personText } from '../organization/person-name.tsx';
import { usagePath } from '../usage/usage-filter.ts';
import { describeAccess, type KeyAction, keyActions } from './key-access.ts';

interface KeyTableProps
  extends Pick<DataTableProps<Key>, 'search' | 'facets' | 'filters' | 'empty' | 'isPlain'> {
  readonly source: RowSource<Key>;
  /** All of them belong to the user. */
  readonly areMine?: boolean;
  readonly onAction: (action: KeyAction, key: Key) => void;
}

/** Keys with the actions that the user may take. */
export function KeyTable({ source, areMine = false, onAction, ...table }: KeyTableProps) {
  const { account } = useSession();
  const { directory } = useDirectory();
  const columns = useMemo(
    () => columnsOf(account, directory, onAction).filter(({ id }) => !areMine || id !== 'owner'),
    [account, directory, onAction, areMine],
  );
  return (
    <DataTable
      {...table}
      id="keys"
      label="Keys"
      noun={['key', 'keys']}
      columns={columns}
      source={source}
      keyOf={({ hash }) => hash}
      {...(account.credential.scope === 'write' && {
        rowMenu: (key: Key) => menuOf(account, key, onAction),
      })}
    />
  );
}

function columnsOf(
  account: Account,
  directory: Directory,
  onAction: KeyTableProps['onAction'],
): readonly Column<Key>[] {
  const { workspaces, credential } = account;
  const nameOfWorkspace = ({ kind, workspace_id }: Key) =>
    kind === 'management' ? 'All' : (workspaces.find(({ id }) => id === workspace_id)?.name ?? workspace_id);
  return [
    {
      id: 'name',
      title: 'Key',
      isFixed: true,
      value: ({ name }) => name,
      cell: (key) => {
        const name = <KeyName apiKey={key} isCurrent={key.hash === credential.id} />;
        if (!keyActions(account, key).includes('edit')) return name;
        return <RowButton onClick={() => onAction('edit', key)}>{name}</RowButton>;
      },
    },
    {
      id: 'label',
      title: 'Secret',
      isObvious: true,
      isHiddenByDefault: true,
      value: ({ label }) => label,
      cell: ({ label }) => <span className="mono">{label}</span>,
    },
    {
      id: 'access',
      title: 'Access',
      isObvious: true,
      value: (key) => [describeAccess(key), ...presetsText(key)].join('. '),
      cell: (key) => <KeyAccess apiKey={key} />,
    },
    {
      id: 'owner',
      title: 'Owner',
      value: ({ creator_email }) => personText(directory, creator_email),
      exportValue: ({ creator_email }) => creator_email,
      cell: ({ creator_email }) => <PersonName email={creator_email} />,
    },
    {
      id: 'workspace',
      title: 'Workspace',
      value: nameOfWorkspace,
      cell: (key) => (
        <span className={key.kind === 'management' ? 'muted' : undefined} title={nameOfWorkspace(key)}>
          {nameOfWorkspace(key)}
        </span>
      ),
    },
    {
      id: 'limit',
      title: 'Spending limit',
      isFit: true,
      isDescendingFirst: true,
      value: ({ limit }) => limit,
      exportValue: (key) => spentOfLimit(key)?.text,
      cell: (key) => <KeyBudget apiKey={key} href={usageLink(account, key)?.href} />,
    },
    timeColumn('created', 'Created', ({ created_at }) => created_at),
    timeColumn('expires', 'Expires', ({ expires_at }) => expires_at),
    timeColumn('used', 'Last used', ({ last_used_at }) => last_used_at),
    {
      id: 'status',
      title: 'Status',
      isObvious: true,
      isFit: true,
      value: (key) => keyState(key, Date.now()),
      cell: (key) => <KeyStatus apiKey={key} />,
    },
  ];
}

/** The spend of a key with a limit, with a link to the calls. */
function KeyBudget({ apiKey, href }: { readonly apiKey: Key; readonly href: string | undefined }) {
  const spent = spentOfLimit(apiKey);
  if (spent === undefined) return <span className="muted">None</span>;
  const { text, share } = spent;
  return (
    <span className={styles.stacked}>
      {href === undefined ? <span>{text}</span> : <Link href={href}>{text}</Link>}
      <progress
        className={classNames(styles.budget, share >= 0.8 && styles.nearlySpent, share >= 1 && styles.spent)}
        value={Math.min(share, 1)}
        aria-label="Spent of the limit"
      />
    </span>
  );
}

/** The spend of a key as text and as a share of its limit; undefined without a limit. */
export function spentOfLimit(key: Pick<Key, 'limit' | 'limit_remaining' | 'limit_reset'>) {
  const { limit, limit_remaining: left } = key;
  if (limit === null || left === null) return undefined;
  // A difference of fractions is not exact: 0.3 - 0.1 is less than 0.2.
  const spent = Math.max(0, Number((limit - left).toFixed(9)));
  return { text: spentText({ ...key, limit }, spent), share: left <= 0 ? 1 : spent / limit };
}

function timeColumn(id: string, title: string, at: (key: Key) => string | null): Column<Key> {
  return {
    id,
    title,
    isFit: true,
    isDescendingFirst: true,
    value: at,
    cell: (key) => {
      const time = at(key);
      return time === null ? <span className="muted">Never</span> : <Time at={time} />;
    },
  };
}

function KeyName({ apiKey, isCurrent }: { readonly apiKey: Key; readonly isCurrent: boolean }) {
  return (
    <span className={styles.stacked} title={apiKey.name}>
      <span>
        <span className="strong">{apiKey.name}</span>
        {isCurrent && <span className="muted"> (this session)</span>}
      </span>
      <span className="mono note">{apiKey.label}</span>
    </span>
  );
}

/** The scope of the key, and the presets that it is limited to. */
function KeyAccess({ apiKey }: { readonly apiKey: Key }) {
  const [presets] = presetsText(apiKey);
  return (
    <span className={styles.stacked}>
      <span>{describeAccess(apiKey)}</span>
      {presets !== undefined && (
        <span className="note" title={presets}>
          {presets}
        </span>
      )}
    </span>
  );
}

function presetsText({ presets }: Key): readonly string[] {
  return presets === null ? [] : [`Only ${presets.join(', ')}`];
}

const tones = { active: 'neutral', expired: 'neutral', disabled: 'warning' } as const;

/** A rotated key also shows how long its previous secret still works. */
function KeyStatus({ apiKey }: { readonly apiKey: Key }) {
  const state = keyState(apiKey, Date.now());
  const { previous_secret_expires_at: until } = apiKey;
  return (
    <span className={styles.stacked}>
      <span>
        <Badge tone={tones[state]}>{capitalize(state)}</Badge>
      </span>
      {until !== null && (
        <span className="note">
          Old secret <Time at={until} />
        </span>
      )}
    </span>
  );
}

function menuOf(account: Account, key: Key, onAction: (action: KeyAction, key: Key) => void): RowMenu {
  return {
    label: `Actions for ${key.name}`,
    items: [
      usageLink(account, key),
      ...keyActions(account, key).map((action) => ({
        // Enabling needs no confirmation.
        text: action === 'enable' ? 'Enable' : `${capitalize(action)}…`,
        isDangerous: action === 'disable' || action === 'delete',
        onClick: () => onAction(action, key),
      })),
    ],
  };
}

/** Management keys make no calls. */
function usageLink({ workspaces }: Account, { hash, kind, workspace_id }: Key) {
  const workspace = workspaces.find(({ id }) => id === workspace_id);
  if (kind === 'management' || workspace === undefined) return undefined;
  return { text: 'View usage', href: workspacePath(workspace.slug, usagePath('usage', { key: hash })) };
}

type KeyState = 'active' | 'expired' | 'disabled';

/**
 * Disabled takes precedence over expired: enabling such a key would not make it work, but it shows
 * why.
 */
export function keyState(
  { disabled, expires_at }: Pick<Key, 'disabled' | 'expires_at'>,
  now: number,
): KeyState {
  if (disabled) return 'disabled';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}
