import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button, type ButtonVariant } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './dialog.module.css';
import { ErrorNotice } from './error-notice.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** For what has to be compared side by side. */
  readonly isWide?: boolean;
  /** Something is under way whose end has to be seen: there is no way out before it. */
  readonly isBusy?: boolean;
}

/** The browser's own dialog: it keeps the focus, closes by Escape, and gives the focus back to where it was. */
export function Dialog({ title, onClose, children, isWide = false, isBusy = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the effects of what is in it: a field can take the focus only once the dialog is open.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element && !element.open) element.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      className={classNames(styles.dialog, isWide && styles.wide)}
      onCancel={(event) => {
        // A field for files inside tells in the same way that no file was chosen.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (!isBusy) onClose();
      }}
      onClose={({ currentTarget }) => {
        // The second Escape in a row closes it without asking; whether it stays is not for the browser to say.
        if (currentTarget.open) return;
        currentTarget.showModal();
        if (!isBusy) onClose();
      }}
    >
      <header className={styles.header}>
        <h2 id={titleId}>{title}</h2>
        <Button variant="quiet" isSmall onClick={onClose} disabled={isBusy} aria-label="Close">
          <X aria-hidden="true" />
        </Button>
      </header>
      {children}
    </dialog>
  );
}

interface FormDialogProps extends DialogProps {
  readonly submitLabel: string;
  readonly submitVariant?: ButtonVariant;
  readonly onSubmit: () => void;
  readonly canSubmit?: boolean;
  readonly error?: unknown;
  readonly cancelLabel?: string;
}

/** A question with an answer: what is asked, what went wrong with the last answer, and the two ways out. */
export function FormDialog(props: FormDialogProps) {
  const { submitLabel, submitVariant = 'primary', onSubmit, isBusy = false, canSubmit = true } = props;
  const { error, cancelLabel = 'Cancel', children, onClose, ...dialog } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy && canSubmit) onSubmit();
  };
  return (
    <Dialog title={dialog.title} onClose={onClose} isWide={dialog.isWide ?? false} isBusy={isBusy}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <div className={styles.content}>
          {children}
          {error != null && <ErrorNotice error={error} />}
        </div>
        <footer className={styles.footer}>
          <Button onClick={onClose} disabled={isBusy}>
            {cancelLabel}
          </Button>
          <Button type="submit" variant={submitVariant} isBusy={isBusy} disabled={!canSubmit}>
            {submitLabel}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
