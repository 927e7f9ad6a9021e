import { useEffect, useRef } from 'react';
import { recognizeDialect } from '../../../../src/dialects/recognize-dialect.ts';
import { useToast } from '../../components/toasts.tsx';
import { checkRequestText } from './check-request.ts';
import { bodyOfCommand } from './curl-command.ts';

/**
 * The body of the request that somebody pastes; undefined for any other text. A curl line is a
 * request wherever it is pasted. JSON in a field of several lines is text, since a prompt may have
 * some, unless it replaces a whole request.
 */
export function pastedRequest(pasted: string, target: EventTarget | null): string | undefined {
  return bodyOfCommand(pasted) ?? (!hasLines(target) && isRequest(pasted) ? pasted : undefined);
}

/** Editors of a whole request, by their box, and whether all of their text is selected. */
export const requestEditors = new WeakMap<Element, () => boolean>();

/** Editors have several lines, too. Their content is in a shadow root that the page cannot see. */
function hasLines(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.parentElement !== null && requestEditors.get(target.parentElement)?.()) return false;
  return target.matches('textarea') || target.shadowRoot !== null;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && (target.matches('input, textarea') || target.shadowRoot !== null);
}

function isRequest(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  const checked = checkRequestText(text);
  return (
    checked.kind === 'valid' &&
    typeof checked.body.model === 'string' &&
    recognizeDialect(checked.body) !== undefined
  );
}

/**
 * Calls `take` with a request pasted anywhere on the page, unless a dialog is in front of it.
 * On the document, since nothing may have the focus. `take` returns false to leave the text alone.
 */
export function usePastedRequest(take: (request: string) => boolean): void {
  const showToast = useToast();
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const listen = (event: ClipboardEvent) => {
      if (document.querySelector('dialog:modal') !== null) return;
      const pasted = event.clipboardData?.getData('text/plain') ?? '';
      const request = pastedRequest(pasted, event.target);
      // In a field it is text like any other.
      if (request === undefined && /^\s*curl\s/.test(pasted) && !isField(event.target))
        showToast('This curl command has no JSON body to read. Paste the body itself');
      if (request === undefined || !latest.current(request)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener('paste', listen, true);
    return () => document.removeEventListener('paste', listen, true);
  }, [showToast]);
}
