import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonVariant } from './button.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, after "Copy". */
  readonly what?: string;
  readonly variant?: ButtonVariant;
  readonly onCopied?: () => void;
}

export function CopyButton({ text, what, variant = 'plain', onCopied }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const label = what === undefined ? 'Copy' : `Copy ${what}`;
  const shown = outcome === undefined ? 'Copy' : outcome === 'copied' ? 'Copied' : 'Select and copy it';
  return (
    <>
      <Button
        isSmall
        variant={variant}
        onClick={async () => {
          const isCopied = await copy(text);
          setOutcome(isCopied ? 'copied' : 'failed');
          if (isCopied) onCopied?.();
        }}
        // It has what is shown in it, for those who say what they see.
        aria-label={outcome === undefined ? label : `${label}: ${shown}`}
      >
        {outcome === 'copied' ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        {shown}
      </Button>
      <span role="status" className="visually-hidden">
        {outcome === 'copied' && 'Copied'}
        {outcome === 'failed' && 'The browser does not let it be copied'}
      </span>
    </>
  );
}

/** Browsers have a clipboard only for pages that came over HTTPS or from this machine; elsewhere the older way is tried. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  const before = document.activeElement;
  area.value = text;
  area.className = 'visually-hidden';
  // Inside of an open dialog, only what is in it can be selected.
  (before?.closest('dialog') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
