import { Type } from 'typebox';
import type { Page } from '../core/organization/organization.ts';

// Offset pagination, shared by all lists except the audit log, which has a cursor.

/** The maximum is that of a 32-bit integer, as for version and event numbers. */
export const offsetQuery = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Number of records to skip. Default 0.' }),
);

export const pageQuery = Type.Object({
  offset: offsetQuery,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Maximum number of records to return. Default 50.',
    }),
  ),
});

/** The requested page with defaults applied. */
export function pageOf({ offset = 0, limit = 50 }: Type.Static<typeof pageQuery>): Page {
  return { offset, limit };
}
