import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
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

const shownMs = 8_000;

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(0);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const tell = useCallback<Tell>(
    (text, undo) => {
      nextId.current += 1;
      const toast = { id: nextId.current, text, undo };
      setToasts((all) => [...all.slice(-2), toast]);
      setTimeout(() => dismiss(toast.id), shownMs);
    },
    [dismiss],
  );
  return (
    <ToastContext value={tell}>
      {children}
      <section className={styles.toasts} aria-label="What was done" aria-live="polite">
        {toasts.map(({ id, text, undo }) => (
          <div key={id} className={styles.toast}>
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
        ))}
      </section>
    </ToastContext>
  );
}
