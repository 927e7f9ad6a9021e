import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Key, KeyWithSecret } from '../../../../src/api/keys.ts';
import { keysPerPage } from '../../../../src/api/limits.ts';
import { useKeys, useWorkspaceOptions } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { CheckboxField, SelectField } from '../../components/fields.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { AccessNotice, useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';
import {
  CreateKeyDialog,
  EditKeyDialog,
  RevokeKeyDialog,
  RotateKeyDialog,
  SecretDialog,
  useEnableKey,
} from './key-dialogs.tsx';
import { type KeyAction, KeyTable } from './key-table.tsx';

interface Open {
  readonly action: Exclude<KeyAction, 'enable'>;
  readonly apiKey: Key;
}

/** Members see all keys but can change only their own; admins can change every key. */
export function KeysPage() {
  const { canWrite } = useSession();
  const { isAdmin, restriction, me } = useAccess();
  const [open, setOpen] = useState<Open | 'create'>();
  // A new secret exists only here, until its dialog closes.
  const [secret, setSecret] = useState<KeyWithSecret>();
  const enable = useEnableKey();
  const close = () => setOpen(undefined);
  const showSecret = (keyWithSecret: KeyWithSecret) => {
    close();
    setSecret(keyWithSecret);
  };
  const canChangeOwnOnly = canWrite && me !== undefined && !isAdmin;
  return (
    <Page
      title="Keys"
      lead={
        canChangeOwnOnly
          ? 'As a member, you can create keys and change your own. Admins can change all keys.'
          : (restriction ??
            'API keys give access to one workspace, management keys to the whole organization.')
      }
      actions={
        canWrite && (
          <Button variant="primary" onClick={() => setOpen('create')}>
            <KeyRound aria-hidden="true" />
            New key
          </Button>
        )
      }
    >
      <AccessNotice />
      <Panel isFlush>
        <KeyFilters />
        <KeyList
          onAction={(action, apiKey) => (action === 'enable' ? enable(apiKey) : setOpen({ action, apiKey }))}
        />
      </Panel>
      {open === 'create' && <CreateKeyDialog onCreated={showSecret} onClose={close} />}
      {open !== undefined && open !== 'create' && (
        <KeyDialog {...open} onSecret={showSecret} onClose={close} />
      )}
      {secret && <SecretDialog keyWithSecret={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  );
}

interface KeyDialogProps extends Open {
  readonly onSecret: (keyWithSecret: KeyWithSecret) => void;
  readonly onClose: () => void;
}

function KeyDialog({ action, apiKey, onSecret, onClose }: KeyDialogProps) {
  if (action === 'edit') return <EditKeyDialog apiKey={apiKey} onClose={onClose} />;
  if (action === 'rotate') return <RotateKeyDialog apiKey={apiKey} onRotated={onSecret} onClose={onClose} />;
  return <RevokeKeyDialog apiKey={apiKey} action={action} onClose={onClose} />;
}

/** Without a workspace the API returns the keys of the default one and all management keys. */
function KeyFilters() {
  const { value, change } = useUrlParams();
  const { data: workspaces = [] } = useWorkspaceOptions();
  const options = [
    [
      '',
      `${workspaces.find(({ is_default }) => is_default)?.name ?? 'Default'} and management keys`,
    ] as const,
    ...workspaces.filter(({ is_default }) => !is_default).map(({ id, name }) => [id, name] as const),
  ];
  const selected = value('workspace');
  return (
    <search className={styles.filters}>
      <SelectField
        label="Workspace"
        value={options.some(([id]) => id === selected) ? selected : ''}
        options={options}
        onChange={(workspace) => change({ workspace, offset: '' })}
      />
      <div className={styles.check}>
        <CheckboxField
          label="Include disabled keys"
          isChecked={value('disabled') !== ''}
          onChange={(isIncluded) => change({ disabled: isIncluded ? '1' : '', offset: '' })}
        />
      </div>
    </search>
  );
}

interface KeyListProps {
  readonly onAction: (action: KeyAction, key: Key) => void;
}

function KeyList({ onAction }: KeyListProps) {
  const { value, offset } = useUrlParams();
  const { data: workspaces = [] } = useWorkspaceOptions();
  const query = useKeys({
    workspace_id: value('workspace') || undefined,
    include_disabled: value('disabled') !== '',
    offset,
  });
  const empty = (
    <EmptyState title="No keys">
      <p>This workspace has no keys, or only disabled ones.</p>
    </EmptyState>
  );
  return (
    <PagedList query={query} limit={keysPerPage} one="key" lines={6} empty={empty}>
      {(keys, isStale) => (
        <KeyTable keys={keys} workspaces={workspaces} isStale={isStale} onAction={onAction} />
      )}
    </PagedList>
  );
}
