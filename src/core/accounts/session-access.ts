import { PresetdError } from '../errors.ts';
import type { Caller, ResolvedSession } from '../organization/caller.ts';

/** Throws `forbidden` for a key. `action` is the beginning of the message, such as "Signing out". */
export function requireSession(caller: Caller, action: string): ResolvedSession {
  if (caller.kind === 'session') return caller;
  throw new PresetdError('forbidden', `${action} requires a session; ${caller.label} is a key.`);
}
