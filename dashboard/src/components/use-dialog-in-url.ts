import { useEffect, useRef } from 'react';
import { useUrlParams } from './use-url-params.ts';

const parameter = 'dialog';

/** The address of a page that opens with the dialog in which something is created. */
export function withDialog(path: string): string {
  return `${path}?${parameter}=new`;
}

/**
 * Opens that dialog if the address says so, and removes it from the address: closing the dialog and
 * reloading the page must not open it again.
 */
export function useDialogInUrl(open: (() => void) | undefined): void {
  const { value, change } = useUrlParams();
  const isNamed = value(parameter) !== '';
  const latest = useRef({ open, change });
  latest.current = { open, change };
  useEffect(() => {
    if (!isNamed) return;
    latest.current.change({ [parameter]: '' }, { replace: true });
    latest.current.open?.();
  }, [isNamed]);
}
