import { Ban, Pencil, Play, RotateCw, Trash2 } from 'lucide-react';
import type { Key } from '../../../../src/api/keys.ts';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { IconButton } from '../../components/button.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { capitalize } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';

export type KeyAction = 'edit' | 'rotate' | 'disable' | 'enable' | 'delete';

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly workspaces: readonly Workspace[];
  readonly isStale: boolean;
  readonly onAction: (action: KeyAction, key: Key) => void;
}

/** Keys with the actions that the user may take: admins on every key, others on their own. */
export function KeyTable({ keys, workspaces, isStale, onAction }: KeyTableProps) {
  const { key: current, canWrite } = useSession();
  const { canChangeKeysOf } = useAccess();
  const nameOfWorkspace = (id: string | null) => workspaces.find((each) => each.id === id)?.name ?? id;
  const columns: readonly Column<Key>[] = [
    { title: 'Key', cell: (key) => <KeyName apiKey={key} isCurrent={key.hash === current.hash} /> },
    { title: 'Type', cell: (key) => keyType(key) },
    { title: 'Owner', cell: ({ creator_email }) => <span className={styles.person}>{creator_email}</span> },
    {
      title: 'Workspace',
      cell: ({ kind, workspace_id }) =>
        kind === 'management' ? <span className="muted">All</span> : nameOfWorkspace(workspace_id),
    },
    ...times,
    { title: 'Status', cell: (key) => <KeyStatus apiKey={key} /> },
    ...(canWrite ? [actionsColumn(canChangeKeysOf, onAction)] : []),
  ];
  return <Table label="Keys" columns={columns} rows={keys} keyOf={({ hash }) => hash} isStale={isStale} />;
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
function actionsColumn(
  canChangeKeysOf: (ownerId: string) => boolean,
  onAction: (action: KeyAction, key: Key) => void,
): Column<Key> {
  return {
    title: 'Actions',
    isTitleHidden: true,
    cell: (key) => {
      if (!canChangeKeysOf(key.creator_user_id)) return null;
      const act = (action: KeyAction) => () => onAction(action, key);
      return (
        <span className={styles.actions}>
          <IconButton icon={Pencil} title="Edit" of={key.name} onClick={act('edit')} />
          <IconButton icon={RotateCw} title="Rotate" of={key.name} onClick={act('rotate')} />
          {key.disabled ? (
            <IconButton icon={Play} title="Enable" of={key.name} onClick={act('enable')} />
          ) : (
            <IconButton icon={Ban} title="Disable" of={key.name} onClick={act('disable')} />
          )}
          <IconButton icon={Trash2} title="Delete" of={key.name} onClick={act('delete')} />
        </span>
      );
    },
  };
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

/** The key's type for display. */
export function keyType({ kind, read_only }: Pick<Key, 'kind' | 'read_only'>): string {
  if (kind === 'api') return 'API';
  return read_only ? 'Management (read-only)' : 'Management';
}
