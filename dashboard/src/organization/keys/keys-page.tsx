import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Key, KeyWithSecret } from '../../../../src/client/organization-answers.ts';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useSession } from '../../session/session.tsx';
import { AccessNotice } from '../access-notice.tsx';
import { useAccess } from '../use-access.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { KeyFilters } from './key-filters.tsx';
import { KeyList } from './key-list.tsx';
import type { KeyAction } from './key-table.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { StopKeyDialog } from './stop-key-dialog.tsx';
import { useEnableKey } from './use-enable-key.ts';

interface Open {
  readonly action: Exclude<KeyAction, 'enable'>;
  readonly apiKey: Key;
}

export function KeysPage() {
  const { canWrite } = useSession();
  const { isAdmin, limit, me } = useAccess();
  const [open, setOpen] = useState<Open | 'create'>();
  // Here and nowhere else, for as long as its dialog is open.
  const [secret, setSecret] = useState<KeyWithSecret>();
  const enable = useEnableKey();
  const close = () => setOpen(undefined);
  const showSecret = (made: KeyWithSecret) => {
    close();
    setSecret(made);
  };
  const isOwnOnly = canWrite && me !== undefined && !isAdmin;
  return (
    <Page
      title="Keys"
      lead={
        isOwnOnly
          ? 'You are an org:member: you make and change keys of your own. Those of others are changed by an org:admin.'
          : (limit ?? 'API keys open one workspace, management keys the organization.')
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
      {open === 'create' && <CreateKeyDialog onMade={showSecret} onClose={close} />}
      {open !== undefined && open !== 'create' && (
        <KeyDialog {...open} onSecret={showSecret} onClose={close} />
      )}
      {secret && <SecretDialog made={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  );
}

interface KeyDialogProps extends Open {
  readonly onSecret: (made: KeyWithSecret) => void;
  readonly onClose: () => void;
}

function KeyDialog({ action, apiKey, onSecret, onClose }: KeyDialogProps) {
  if (action === 'edit') return <EditKeyDialog apiKey={apiKey} onClose={onClose} />;
  if (action === 'rotate') return <RotateKeyDialog apiKey={apiKey} onRotated={onSecret} onClose={onClose} />;
  return <StopKeyDialog apiKey={apiKey} action={action} onClose={onClose} />;
}
