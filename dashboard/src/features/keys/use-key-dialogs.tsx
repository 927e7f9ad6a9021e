import { type ReactNode, useState } from 'react';
import type { Key, KeyWithSecret } from '../../../../src/api/keys.ts';
import type { KeyAction } from './key-access.ts';
import {
  CreateKeyDialog,
  EditKeyDialog,
  RevokeKeyDialog,
  RotateKeyDialog,
  SecretDialog,
  useEnableKey,
} from './key-dialogs.tsx';

interface Open {
  readonly action: Exclude<KeyAction, 'enable'>;
  readonly apiKey: Key;
}

interface KeyDialogs {
  readonly create: () => void;
  readonly act: (action: KeyAction, apiKey: Key) => void;
  /** To be rendered by the page. */
  readonly dialogs: ReactNode;
}

/** The dialogs that create and change keys, for every page that lists some. */
export function useKeyDialogs({ isMine = false } = {}): KeyDialogs {
  const [open, setOpen] = useState<Open | 'create'>();
  // A new secret exists only here, until its dialog closes.
  const [secret, setSecret] = useState<KeyWithSecret>();
  const enable = useEnableKey();
  const close = () => setOpen(undefined);
  const showSecret = (keyWithSecret: KeyWithSecret) => {
    close();
    setSecret(keyWithSecret);
  };
  return {
    create: () => setOpen('create'),
    act: (action, apiKey) => (action === 'enable' ? enable(apiKey) : setOpen({ action, apiKey })),
    dialogs: (
      <>
        {open === 'create' && <CreateKeyDialog isMine={isMine} onCreated={showSecret} onClose={close} />}
        {open !== undefined && open !== 'create' && (
          <KeyDialog {...open} onSecret={showSecret} onClose={close} />
        )}
        {secret && <SecretDialog keyWithSecret={secret} onClose={() => setSecret(undefined)} />}
      </>
    ),
  };
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
