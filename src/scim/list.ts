import type { Page } from '../core/page.ts';
import type { Resource } from './read-resource.ts';
import { ScimError } from './scim-error.ts';

/** The most resources in one response, announced in the service provider configuration. */
export const listCountMax = 1_000;

const listCountDefault = 100;

export interface ListQuery {
  readonly startIndex?: string | undefined;
  readonly count?: string | undefined;
}

/** Reads `startIndex` and `count`; values out of range become the nearest one in range. */
export function pageOf({ startIndex, count }: ListQuery): Page {
  const start = readInteger('startIndex', startIndex, 1);
  const limit = readInteger('count', count, listCountDefault);
  return { offset: Math.max(start, 1) - 1, limit: Math.min(Math.max(limit, 0), listCountMax) };
}

export function listResponse(resources: readonly Resource[], totalResults: number, { offset }: Page): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** Resources that a filter without an index may read. */
const scannedMax = 10_000;
const scannedAtOnce = 500;

/**
 * Walks over all items for a filter that no index answers. Throws `tooMany` if there are more than
 * it may read.
 */
export async function findMatching<T>(
  read: (page: Page) => Promise<readonly T[]>,
  matches: (item: T) => boolean,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let offset = 0; offset < scannedMax; offset += scannedAtOnce) {
    const items = await read({ offset, limit: scannedAtOnce });
    found.push(...items.filter(matches));
    if (items.length < scannedAtOnce) return found;
  }
  throw new ScimError(
    'tooMany',
    `This filter would read more than ${scannedMax} resources. Filter by id, userName, externalId, emails.value or displayName with eq.`,
  );
}

function readInteger(name: string, text: string | undefined, absent: number): number {
  if (text === undefined || text === '') return absent;
  if (!/^-?\d{1,9}$/.test(text)) throw new ScimError('invalidValue', `${name} must be a whole number.`);
  return Number(text);
}
