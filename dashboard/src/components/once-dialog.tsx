import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import styles from './dialog.module.css';
import { Dialog, DialogBody } from './dialog.tsx';
import { Notice } from './notice.tsx';

interface OnceDialogProps {
  readonly title: string;
  /** The noun, in lower case. */
  readonly what: 'secret' | 'link';
  readonly text: string;
  /** Tells the person what to do if they lose it. */
  readonly ifLost: string;
  /** Above the text. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** Shows a secret once. Closing the dialog before the secret was copied takes a second click. */
export function OnceDialog({ title, what, text, ifLost, children, onClose }: OnceDialogProps) {
  const [isCopied, setIsCopied] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const isUnsafe = isConfirming && !isCopied;
  const close = () => (isCopied || isConfirming ? onClose() : setIsConfirming(true));
  const noun = what === 'secret' ? 'Secret' : 'Link';
  return (
    <Dialog title={title} onClose={close}>
      <DialogBody
        footer={
          <Button variant={isUnsafe ? 'danger' : 'plain'} onClick={close}>
            {isUnsafe ? 'Close without copying' : 'Done'}
          </Button>
        }
      >
        {children}
        <div className={styles.box}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users select and copy it here */}
          <section aria-label={noun} tabIndex={0} onCopy={() => setIsCopied(true)}>
            <code>{text}</code>
          </section>
          <CopyButton
            text={text}
            what={what}
            variant="primary"
            startsFocus
            onCopied={() => setIsCopied(true)}
          />
        </div>
        {isUnsafe && (
          <Notice kind="warning" title={`${noun} not copied`}>
            Once you close this dialog, nobody can see the {what} again. {ifLost}
          </Notice>
        )}
      </DialogBody>
    </Dialog>
  );
}
