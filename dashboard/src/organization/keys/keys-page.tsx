import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Key, KeyWithSecret } from '../../../../src/client/organization-answers.ts';
import { useSession } from '../../session/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { AccessNotice } from '../access-notice.tsx';
import { useAccess } from '../use-access.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { KeyFilters } from './key-filters.tsx';
import { KeyList } from './key-list.tsx';
import type { KeyAction } from './key-table.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { useEnableKey } from './use-enable-key.ts';

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
