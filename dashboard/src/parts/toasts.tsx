import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

type Tell = (text: string, undo?: () => void) => void;

const ToastContext = createContext<Tell>(() => undefined);

/** Tells that something was done, and lets it be undone for as long as it is shown. */
export function useToast(): Tell {
  return useContext(ToastContext);
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(0);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const tell = useCallback<Tell>((text, undo) => {
    nextId.current += 1;
    const toast = { id: nextId.current, text, undo };
    // One at a time: what was done before it can no longer be undone as if nothing had happened since.
    setToasts([toast]);
  }, []);
  return (
    <ToastContext value={tell}>
      {children}
      <section className={styles.toasts} aria-label="What was done" aria-live="polite">
        {toasts.map((toast) => (
          <ShownToast key={toast.id} toast={toast} dismiss={dismiss} />
        ))}
      </section>
    </ToastContext>
  );
}

const shownMs = 8_000;

interface ShownToastProps {
  readonly toast: Toast;
  readonly dismiss: (id: number) => void;
}

/** It goes by itself, but not while somebody points at it or is about to press one of its buttons. */
function ShownToast({ toast: { id, text, undo }, dismiss }: ShownToastProps) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [isHeld, id, dismiss]);
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is done here; it only stays for as long as it is needed
    <div className={styles.toast} onMouseEnter={hold} onMouseLeave={release} onFocus={hold} onBlur={release}>
      <span>{text}</span>
      {undo && (
        <Button
          isSmall
          onClick={() => {
            dismiss(id);
            undo();
          }}
        >
          Undo
        </Button>
      )}
      <Button isSmall variant="quiet" onClick={() => dismiss(id)}>
        Dismiss
      </Button>
    </div>
  );
}
