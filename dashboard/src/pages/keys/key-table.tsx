import { Ban, Pencil, Play, RotateCw, Trash2 } from 'lucide-react';
import type { Account } from '../../../../src/api/account.ts';
import type { Key } from '../../../../src/api/keys.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { IconButton } from '../../components/button.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { capitalize } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import styles from '../organization/organization.module.css';
import { describeAccess, type KeyAction, keyActions } from './key-access.ts';

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly isStale: boolean;
  /** All of them belong to the user. */
  readonly areMine?: boolean;
  readonly onAction: (action: KeyAction, key: Key) => void;
}

/** Keys with the actions that the user may take. */
export function KeyTable({ keys, isStale, areMine = false, onAction }: KeyTableProps) {
  const { account } = useSession();
  const nameOfWorkspace = (id: string | null) =>
    account.workspaces.find((each) => each.id === id)?.name ?? id;
  const columns: readonly Column<Key>[] = [
    { title: 'Key', cell: (key) => <KeyName apiKey={key} isCurrent={key.hash === account.credential.id} /> },
    { title: 'Access', cell: (key) => <KeyAccess apiKey={key} /> },
    ...(areMine ? [] : [ownerColumn]),
    {
      title: 'Workspace',
      cell: ({ kind, workspace_id }) =>
        kind === 'management' ? <span className="muted">All</span> : nameOfWorkspace(workspace_id),
    },
    ...times,
    { title: 'Status', cell: (key) => <KeyStatus apiKey={key} /> },
    ...(account.credential.scope === 'write' ? [actionsColumn(account, onAction)] : []),
  ];
  return <Table label="Keys" columns={columns} rows={keys} keyOf={({ hash }) => hash} isStale={isStale} />;
}

const ownerColumn: Column<Key> = {
  title: 'Owner',
  cell: ({ creator_email }) => <span className={styles.person}>{creator_email}</span>,
};

/** The scope of the key, and the presets that it is limited to. */
function KeyAccess({ apiKey }: { readonly apiKey: Key }) {
  return (
    <span className={styles.stacked}>
      <span>{describeAccess(apiKey)}</span>
      {apiKey.presets !== null && <span className="note">Only {apiKey.presets.join(', ')}</span>}
    </span>
  );
}

const times: readonly Column<Key>[] = [
  { title: 'Created', cell: ({ created_at }) => <KeyTime at={created_at} /> },
  { title: 'Expires', cell: ({ expires_at }) => <KeyTime at={expires_at} /> },
  { title: 'Last used', cell: ({ last_used_at }) => <KeyTime at={last_used_at} /> },
];

function KeyTime({ at }: { readonly at: string | null }) {
  return (
    <span className={styles.time}>
      {at === null ? <span className="muted">Never</span> : <Time at={at} />}
    </span>
  );
}

function KeyName({ apiKey, isCurrent }: { readonly apiKey: Key; readonly isCurrent: boolean }) {
  return (
    <span className={styles.stacked}>
      <span>
        <span className="strong">{apiKey.name}</span>
        {isCurrent && <span className="muted"> (this session)</span>}
      </span>
      <span className="mono muted">{apiKey.label}</span>
    </span>
  );
}

const tones = { active: 'success', expired: 'neutral', disabled: 'warning' } as const;

/** A rotated key also shows how long its previous secret still works. */
function KeyStatus({ apiKey }: { readonly apiKey: Key }) {
  const state = keyState(apiKey, Date.now());
  return (
    <span className={styles.stacked}>
      <span>
        <Badge tone={tones[state]}>{capitalize(state)}</Badge>
      </span>
      {apiKey.previous_secret_expires_at !== null && (
        <small className="muted">
          Old secret expires <Time at={apiKey.previous_secret_expires_at} />
        </small>
      )}
    </span>
  );
}

/** Empty for keys that the user may not change, so that the columns stay aligned. */
function actionsColumn(account: Account, onAction: (action: KeyAction, key: Key) => void): Column<Key> {
  return {
    title: 'Actions',
    isTitleHidden: true,
    cell: (key) => (
      <span className={styles.actions}>
        {keyActions(account, key).map((action) => (
          <IconButton
            key={action}
            icon={icons[action]}
            title={capitalize(action)}
            of={key.name}
            onClick={() => onAction(action, key)}
          />
        ))}
      </span>
    ),
  };
}

const icons = { edit: Pencil, rotate: RotateCw, disable: Ban, enable: Play, delete: Trash2 } as const;

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
