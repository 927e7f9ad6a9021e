/**
 * Confirmations at the top of the window, optionally with Undo. They cover the bar with the pages
 * for a moment, and nothing that people edit.
 *
 * There is one toast at a time: a new one replaces the last, and with it the chance to undo the
 * earlier change. A toast disappears after eight seconds, but not while the pointer or keyboard
 * focus is on it. Toasts live above the pages, so they survive navigation, but not signing out.
 */

import { X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import styles from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

/** A phrase without a full stop, and how to revert what it reports. */
type ShowToast = (text: string, undo?: () => void) => void;

const ToastContext = createContext<ShowToast>(() => undefined);

/** Returns a function that shows a toast. `undo` is offered for as long as the toast is visible. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

/** Renders the toast below its children. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(0);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const showToast = useCallback<ShowToast>((text, undo) => {
    nextId.current += 1;
    const toast = { id: nextId.current, text, undo };
    // Replace the previous toast: its change can no longer be undone in isolation.
    setToasts([toast]);
  }, []);
  return (
    <ToastContext value={showToast}>
      {children}
      <section className={styles.toasts} aria-label="Notifications" aria-live="polite">
        {toasts.map((toast) => (
          <ShownToast key={toast.id} toast={toast} dismiss={dismiss} />
        ))}
      </section>
    </ToastContext>
  );
}

/** Enough to read a sentence and decide about Undo. */
const shownMs = 8_000;

interface ShownToastProps {
  readonly toast: Toast;
  readonly dismiss: (id: number) => void;
}

function ShownToast({ toast: { id, text, undo }, dismiss }: ShownToastProps) {
  const [isPaused, setIsPaused] = useState(false);
  useEffect(() => {
    if (isPaused) return;
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [isPaused, id, dismiss]);
  const pause = () => setIsPaused(true);
  const resume = () => setIsPaused(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pauses the timer only; the buttons inside are the controls
    <div className={styles.toast} onMouseEnter={pause} onMouseLeave={resume} onFocus={pause} onBlur={resume}>
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
      <IconButton icon={X} title="Dismiss" of="notification" onClick={() => dismiss(id)} />
    </div>
  );
}
