import { useState } from 'react';
import type { KeyWithSecret } from '../../../../src/client/organization-answers.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import dialog from '../../parts/dialog.module.css';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useSession } from '../../session/session.tsx';
import styles from './secret-dialog.module.css';

interface SecretDialogProps {
  readonly made: KeyWithSecret;
  readonly onClose: () => void;
}

/** The one time that a secret is shown. It is not closed by accident before somebody has it. */
export function SecretDialog({ made: { data, key: secret }, onClose }: SecretDialogProps) {
  const { secret: ownSecret } = useSession();
  const [isCopied, setIsCopied] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const close = () => (isCopied || isAsking ? onClose() : setIsAsking(true));
  return (
    <Dialog title={`Secret of ${data.name}`} onClose={close}>
      <div className={dialog.content}>
        <p>
          Copy it now and keep it where secrets are kept. <strong>It is shown this once</strong>: presetd
          stores only a hash of it.
        </p>
        <div className={styles.secret}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it can be selected and copied by keyboard */}
          <section aria-label="Secret" tabIndex={0} onCopy={() => setIsCopied(true)}>
            <code>{secret}</code>
          </section>
          <CopyButton text={secret} what="the secret" variant="primary" onCopied={() => setIsCopied(true)} />
        </div>
        {ownSecret === secret && <Notice>This tab is signed in with it from now on.</Notice>}
        {isAsking && !isCopied && (
          <Notice kind="warning" title="It was not copied yet">
            Once this is closed, nobody can see the secret again. A lost one is replaced by rotating the key.
          </Notice>
        )}
      </div>
      <footer className={dialog.footer}>
        <Button variant={isAsking && !isCopied ? 'danger' : 'plain'} onClick={close}>
          {isAsking && !isCopied ? 'Close without copying' : 'Done'}
        </Button>
      </footer>
    </Dialog>
  );
}
