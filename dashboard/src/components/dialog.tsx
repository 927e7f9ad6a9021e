import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button, type ButtonVariant } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './dialog.module.css';
import { ErrorNotice } from './notice.tsx';

interface DialogProps {
  readonly title: string;
  /**
   * Called on Escape and by the close button. The dialog stays open until its owner unmounts it.
   */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Leaves room for a side-by-side diff. */
  readonly isWide?: boolean;
  /** An operation is running: the dialog cannot be closed before its result is shown. */
  readonly isBusy?: boolean;
}

/**
 * The native modal dialog, which traps focus and closes on Escape. Unmounting it returns focus to
 * the element that opened it.
 */
export function Dialog({ title, onClose, children, isWide = false, isBusy = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // A layout effect runs before the effects of children: a field can focus itself only once the
  // dialog is open.
  useLayoutEffect(() => {
    const element = dialog.current;
    // Focus returns to this element when the dialog closes.
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
        // A file input inside fires `cancel` too, when its picker is dismissed.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (!isBusy) onClose();
      }}
      onClose={({ currentTarget }) => {
        // Chromium closes a dialog on the second Escape without asking. Reopen it: its owner
        // decides when it closes, by unmounting it.
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
  /** A verb with its object, such as "Delete key". */
  readonly submitLabel: string;
  /** `danger` for what cannot be undone or breaks callers. */
  readonly submitVariant?: ButtonVariant;
  readonly onSubmit: () => void;
  /** False disables the button, for forms that are incomplete. */
  readonly canSubmit?: boolean;
  /** The last failure, shown below the content. The form keeps what the user typed. */
  readonly error?: unknown;
  readonly cancelLabel?: string;
}

/** A dialog with a form: content, the last error, and buttons to cancel or submit. */
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
