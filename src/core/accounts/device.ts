import { randomInt } from 'node:crypto';
import type { PersonAddress } from './account.ts';

/** `approved` lasts until the command line fetches its key, which deletes the request. */
export type DeviceStatus = 'pending' | 'approved' | 'denied';

/** A command line that asks a person to sign it in. The codes are stored only as hashes. */
export interface DeviceRequest {
  readonly deviceCodeHash: string;
  readonly userCodeHash: string;
  /** The name that the client gives itself. */
  readonly clientName: string;
  readonly address: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly status: DeviceStatus;
  /** The person who approved or denied it, and their session; null while it is pending. */
  readonly decidedBy: (PersonAddress & { readonly sessionId: string }) | null;
}

/** Letters that are hard to confuse and spell no words. */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ';

/** Such as `BCDF-GHJK`: 34 bits, enough for a code that lasts minutes and needs a session. */
export function newUserCode(): string {
  const letters = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Accepts a code as people type it: in lower case, without the hyphen or with spaces. */
export function normalizeUserCode(text: string): string {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
