import { type ContentLogSettings, parseContentLog } from '../core/content-log/content-log-settings.ts';
import type { ApiKey } from '../core/organization/api-key.ts';
import type { Member } from '../core/organization/organization.ts';
import { type Columns, type DecodedColumn, fields, flag, json } from './select.ts';

/** Columns of members and keys, which several stores select. */

/** Expects the user as `u` and the membership as `m`. */
export const memberColumns: Columns<Member> = {
  ...fields('u', 'id', 'email', 'firstName', 'lastName'),
  ...fields('m', 'role', 'workspaceRole', 'deactivatedAt'),
};

/** Expects the key as `k`. */
export const keyColumns: Columns<ApiKey> = {
  ...fields('k', 'id', 'secretHash', 'label', 'name', 'kind', 'scope', 'ownerId', 'organizationId'),
  ...fields('k', 'workspaceId', 'expiresAt', 'createdAt'),
  readOnly: flag('k.read_only'),
  disabled: flag('k.disabled'),
  presets: json('k.presets'),
};

/** The settings of a workspace; null in the database is the default. */
export function contentLog(sql: string): DecodedColumn<ContentLogSettings> {
  return { sql, decode: (stored) => parseContentLog(stored as string | null) };
}
