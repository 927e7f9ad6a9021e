import { X } from 'lucide-react';
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { Button, type ButtonVariant } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './dialog.module.css';
import { submitOnCtrlEnter } from './fields.tsx';
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

/** A modal dialog with a title and a close button. */
export function Dialog({ title, onClose, children, isWide = false, isBusy = false }: DialogProps) {
  const titleId = useId();
  return (
    <Modal
      labelledBy={titleId}
      className={classNames(styles.dialog, isWide && styles.wide)}
      onClose={() => !isBusy && onClose()}
    >
      <header className={styles.header}>
        <h2 id={titleId}>{title}</h2>
      </header>
      {children}
      {/* After the content: a dialog starts with what it is about, not with the way out. */}
      <Button
        variant="quiet"
        isSmall
        className={styles.close}
        onClick={onClose}
        onKeyDown={submitFromClose}
        disabled={isBusy}
        aria-label="Close"
        data-closes
      >
        <X aria-hidden="true" />
      </Button>
    </Modal>
  );
}

/** Ctrl+Enter submits here, too, unless the form is destructive. */
function submitFromClose(event: KeyboardEvent<HTMLButtonElement>): void {
  if (event.key !== 'Enter' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  const dialog = event.currentTarget.closest('dialog');
  dialog?.querySelector<HTMLButtonElement>('[type="submit"][data-starts-focus]')?.form?.requestSubmit();
}

interface ModalProps {
  /** Accessible name, or the ID of the element that has it. */
  readonly label?: string;
  readonly labelledBy?: string;
  readonly className: string | undefined;
  /** Called on Escape. The dialog stays open until its owner unmounts it. */
  readonly onClose: () => void;
  /** Called on a press outside the dialog; without it, nothing happens there. */
  readonly onPressOutside?: () => void;
  readonly children: ReactNode;
}

/**
 * The native modal dialog, which traps focus and closes on Escape. Unmounting it returns focus to
 * the element that opened it.
 *
 * It is better than Base UI's: the browser makes the rest of the page inert and puts the dialog
 * above everything, with neither a focus trap nor a scroll lock in JavaScript, and it saves 19 kB
 * compressed.
 */
export function Modal({ label, labelledBy, className, onClose, onPressOutside, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useShownModal(dialog);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      aria-labelledby={labelledBy}
      className={className}
      onMouseDown={({ target, currentTarget }) => {
        // Presses on the backdrop have the dialog itself as their target, and so has its padding.
        if (target === currentTarget) onPressOutside?.();
      }}
      onCancel={(event) => {
        // A file input inside fires `cancel` too, when its picker is dismissed.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onClose={({ currentTarget }) => {
        // Chromium closes a dialog on the second Escape without asking. Reopen it: its owner
        // decides when it closes, by unmounting it.
        if (currentTarget.open) return;
        currentTarget.showModal();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}

function useShownModal(dialog: RefObject<HTMLDialogElement | null>): void {
  // A layout effect runs before the effects of children: a field can focus itself only once the
  // dialog is open.
  useLayoutEffect(() => {
    const element = dialog.current;
    // Focus returns to this element when the dialog closes.
    const before = lastingElement(document.activeElement);
    if (element && !element.open) {
      element.showModal();
      startOfFocus(element)?.focus();
    }
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [dialog]);
}

/**
 * The first field to fill in, or else the button that Enter should press. A dialog that only shows
 * something starts on its close button, so that arrow keys do not scroll a part of it, nor choose
 * something else to show.
 */
function startOfFocus(dialog: HTMLDialogElement): HTMLElement | null {
  return (
    dialog.querySelector<HTMLElement>(':is(input:not([type="checkbox"]), form select, textarea):enabled') ??
    dialog.querySelector<HTMLElement>('[data-starts-focus]:enabled') ??
    dialog.querySelector<HTMLElement>('[data-closes]')
  );
}

/** A menu's item is gone when the dialog that it opened closes; the menu's button is not. */
function lastingElement(focused: Element | null): Element | null {
  const menu = focused?.closest('[role="menu"]');
  return menu ? document.querySelector(`[data-menu="${CSS.escape(menu.id)}"]`) : focused;
}

interface DialogBodyProps {
  readonly children: ReactNode;
  /** Buttons; the primary one comes last. */
  readonly footer: ReactNode;
  /** Makes it a form. */
  readonly onSubmit?: () => void;
  /** Whether the result of the last submission is still unknown. */
  readonly isBusy?: boolean;
}

/** The body of a dialog: content that scrolls, above buttons that do not. */
export function DialogBody({ children, footer, onSubmit, isBusy = false }: DialogBodyProps) {
  const { content, expectProblems, ignoreProblems } = useFocusOnProblem(isBusy);
  const parts = (
    <>
      <div ref={content} className={styles.content} onInput={ignoreProblems}>
        {children}
      </div>
      <footer className={styles.footer}>{footer}</footer>
    </>
  );
  if (onSubmit === undefined) return <div className={styles.body}>{parts}</div>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    expectProblems();
    onSubmit();
  };
  return (
    <form className={styles.body} onSubmit={submit} onKeyDown={submitOnCtrlEnter} noValidate>
      {parts}
    </form>
  );
}

/**
 * After a submission that failed, focuses the first field with a problem and scrolls to it, or else
 * to the message: either may be outside the visible part of a long form. What people type
 * afterwards must not move them again.
 */
function useFocusOnProblem(isBusy: boolean) {
  const content = useRef<HTMLDivElement>(null);
  const isExpected = useRef(false);
  useEffect(() => {
    if (!isExpected.current || isBusy) return;
    const field = content.current?.querySelector<HTMLElement>(problemSelector);
    const problem = field ?? content.current?.querySelector('[role="alert"]');
    if (!problem) return;
    isExpected.current = false;
    field?.focus({ preventScroll: true });
    (problem.closest('[data-field]') ?? problem).scrollIntoView({ block: 'nearest' });
  });
  return {
    content,
    expectProblems() {
      isExpected.current = true;
    },
    ignoreProblems() {
      isExpected.current = false;
    },
  };
}

/** A list of choices is marked as a whole; its input can take the focus. */
const problemSelector = ['input', 'select', 'textarea']
  .flatMap((control) => [
    `${control}[aria-invalid]`,
    `[aria-invalid] ${control}`,
    `[data-invalid] ${control}:checked`,
  ])
  .join();

/** The change that a dialog makes: a mutation, or a change of a preset, which can conflict. */
export interface DialogChange {
  readonly isPending: boolean;
  /** The last failure, shown below the content. The form keeps what the user typed. */
  readonly error: unknown;
  /** Shown in place of the dialog, until the user has decided what to do about the conflict. */
  readonly conflict?: ReactNode;
}

interface FormDialogProps extends Omit<DialogProps, 'isBusy'> {
  readonly change: DialogChange;
  /** A verb with its object, such as "Delete key". */
  readonly submitLabel: string;
  readonly submitVariant?: ButtonVariant;
  readonly onSubmit: () => void;
  /** False disables the button, for forms that are incomplete. */
  readonly canSubmit?: boolean;
  /** Shown above the last failure. */
  readonly errorTitle?: string;
}

/** A dialog with a form: content, the last error, and buttons to cancel or submit. */
export function FormDialog(props: FormDialogProps) {
  const { change, submitLabel, submitVariant = 'primary', onSubmit, canSubmit = true, ...others } = props;
  const { errorTitle, ...dialog } = others;
  const isBusy = change.isPending;
  const isDanger = submitVariant === 'danger';
  if (change.conflict) return change.conflict;
  return (
    <Dialog {...dialog} isBusy={isBusy}>
      <DialogBody
        isBusy={isBusy}
        onSubmit={() => !isBusy && canSubmit && onSubmit()}
        footer={
          <>
            <Button onClick={dialog.onClose} disabled={isBusy} data-starts-focus={isDanger || undefined}>
              Cancel
            </Button>
            <Button
              type="submit"
              variant={submitVariant}
              isBusy={isBusy}
              disabled={!canSubmit}
              data-starts-focus={!isDanger || undefined}
            >
              {submitLabel}
            </Button>
          </>
        }
      >
        {dialog.children}
        {change.error != null && <ErrorNotice error={change.error} title={errorTitle} />}
      </DialogBody>
    </Dialog>
  );
}

/** Asks before a change that cannot be undone or that breaks callers. */
export function ConfirmDialog(props: Omit<FormDialogProps, 'submitVariant'>) {
  return <FormDialog {...props} submitVariant="danger" />;
}
