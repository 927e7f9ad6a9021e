import type { Author } from '../event.ts';
import type { Caller } from './caller.ts';

/**
 * The author of a change. A change can wait for others, and the caller can lose access
 * meanwhile, so stores check the authorization again inside the transaction.
 */
export interface Actor extends Author {
  /** Absent for trusted callers such as the command line on the database itself. */
  readonly authorization?: {
    readonly kind: 'key' | 'session';
    readonly secretHash: string;
    /**
     * Throws if the key or session, as it is now, does not allow the change. Gets `undefined` for
     * one that was deleted.
     */
    readonly assertStillAuthorized: (current: Caller | undefined) => void;
  };
}
