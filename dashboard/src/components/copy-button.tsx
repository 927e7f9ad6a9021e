import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonVariant } from './button.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** Completes the accessible name "Copy …". */
  readonly what?: string;
  /** The visible text, which the accessible name must contain; empty for an icon alone. */
  readonly caption?: string;
  readonly variant?: ButtonVariant;
  /** Gets the focus when its dialog opens. */
  readonly startsFocus?: boolean;
  /** Called only if copying succeeded. */
  readonly onCopied?: () => void;
}

/** Confirms for two seconds, visually and to screen readers, whether copying worked. */
export function CopyButton(props: CopyButtonProps) {
  const { text, what, caption = 'Copy', variant = 'plain', startsFocus, onCopied } = props;
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const label = what === undefined ? 'Copy' : `Copy ${what}`;
  const shown = outcome === undefined ? caption : outcome === 'copied' ? 'Copied' : 'Copy manually';
  return (
    <>
      <Button
        isSmall
        variant={variant}
        data-starts-focus={startsFocus}
        onClick={async () => {
          const isCopied = await copyText(text);
          setOutcome(isCopied ? 'copied' : 'failed');
          if (isCopied) onCopied?.();
        }}
        // Speech control users say what they see, so the name must contain the visible text.
        title={caption === '' ? label : undefined}
        aria-label={outcome === undefined ? label : `${label}: ${shown}`}
      >
        {outcome === 'copied' ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        {shown}
      </Button>
      <span role="status" className="visually-hidden">
        {outcome === 'copied' && 'Copied'}
        {outcome === 'failed' && 'The browser blocked copying'}
      </span>
    </>
  );
}

/** The clipboard API exists only on HTTPS and localhost. Elsewhere fall back to `execCommand`. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Copies through a temporary text area, then restores focus. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  const before = document.activeElement;
  area.value = text;
  area.className = 'visually-hidden';
  // While a modal dialog is open, only text inside it can be selected.
  (before?.closest('dialog') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
