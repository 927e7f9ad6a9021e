/**
 * A request on its way to the form for a new preset, from another page where it was pasted. It
 * travels in the state of the history entry, and leaves it once it has arrived, so that a reload
 * does not import it again.
 */

import type { Dialect } from '../../../../src/core/presets/preset.ts';

interface PassedRequest {
  readonly text: string;
  /** Undefined to detect it. */
  readonly dialect: Dialect | undefined;
}

/** For `navigate('/new', …)`. */
export function passRequest(text: string, dialect?: Dialect): { readonly state: PassedRequest } {
  return { state: { text, dialect } };
}

export function takePassedRequest(): PassedRequest | undefined {
  const passed = history.state as PassedRequest | null;
  if (typeof passed?.text !== 'string') return undefined;
  history.replaceState(null, '', location.href);
  return passed;
}
