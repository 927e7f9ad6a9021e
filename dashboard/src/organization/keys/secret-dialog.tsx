import { useState } from 'react';
import type { KeyWithSecret } from '../../../../src/client/organization-answers.ts';
import { useSession } from '../../session/session.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import dialog from '../../ui/dialog.module.css';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './secret-dialog.module.css';

interface SecretDialogProps {
  readonly keyWithSecret: KeyWithSecret;
  readonly onClose: () => void;
}

/** Shows a new secret, once. Closing it before the secret was copied takes a second click. */
export function SecretDialog({ keyWithSecret: { data, key: secret }, onClose }: SecretDialogProps) {
  const { secret: ownSecret } = useSession();
  const [isCopied, setIsCopied] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const close = () => (isCopied || isConfirming ? onClose() : setIsConfirming(true));
  return (
    <Dialog title={`Secret for ${data.name}`} onClose={close}>
      <div className={dialog.content}>
        <p>
          Copy it now and store it safely. <strong>It is shown only once</strong>: presetd stores only a hash.
        </p>
        <div className={styles.secret}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users select and copy it here */}
          <section aria-label="Secret" tabIndex={0} onCopy={() => setIsCopied(true)}>
            <code>{secret}</code>
          </section>
          <CopyButton text={secret} what="secret" variant="primary" onCopied={() => setIsCopied(true)} />
        </div>
        {ownSecret === secret && <Notice>This tab now uses the new secret.</Notice>}
        {isConfirming && !isCopied && (
          <Notice kind="warning" title="Secret not copied">
            Once you close this dialog, nobody can see the secret again. If you lose it, rotate the key.
          </Notice>
        )}
      </div>
      <footer className={dialog.footer}>
        <Button variant={isConfirming && !isCopied ? 'danger' : 'plain'} onClick={close}>
          {isConfirming && !isCopied ? 'Close without copying' : 'Done'}
        </Button>
      </footer>
    </Dialog>
  );
}
