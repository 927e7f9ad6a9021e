import { isName, nameRule } from '../core/organization/organization.ts';
import type { GroupInput, ProvisionedGroup } from '../core/provisioning/provisioned-group.ts';
import type { GroupLookup } from '../core/provisioning/provisioning-storage.ts';
import { nameProblem } from '../core/text/name.ts';
import type { Equality } from './filter.ts';
import { isObject, type Resource } from './read-resource.ts';
import { groupSchema } from './schema.ts';
import { ScimError } from './scim-error.ts';

/** A group as clients see it. `base` is the URL of the SCIM API. */
export function toGroupResource(group: ProvisionedGroup, base: string): Resource {
  const { id, displayName, externalId, members, createdAt, updatedAt } = group;
  return {
    schemas: [groupSchema.id],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members.length > 0 && {
      members: members.map((member) => ({
        value: member.id,
        $ref: `${base}/Users/${member.id}`,
        type: 'User',
      })),
    }),
    meta: {
      resourceType: groupSchema.name,
      created: createdAt,
      lastModified: updatedAt,
      location: `${base}/Groups/${id}`,
    },
  };
}

/** Reads what `readResource` returns for a group. */
export function fromGroupResource({ displayName, externalId, members }: Resource): GroupInput {
  const name = typeof displayName === 'string' ? displayName : '';
  const problem = isName(name) ? nameProblem(name) : nameRule;
  if (problem !== undefined) throw new ScimError('invalidValue', `displayName ${problem}.`);
  return {
    displayName: name,
    externalId: typeof externalId === 'string' && externalId !== '' ? externalId : null,
    memberIds: (Array.isArray(members) ? members : []).map(memberIdOf),
  };
}

/** The index that answers a filter; undefined if none does. */
export function groupLookupOf(equality: Equality | undefined): GroupLookup | undefined {
  const { path, value } = equality ?? {};
  if (typeof value !== 'string') return undefined;
  return path === 'id' || path === 'displayName' || path === 'externalId' ? { by: path, value } : undefined;
}

export function memberIdOf(member: unknown, index: number): string {
  const id = isObject(member) ? referencedId(member) : undefined;
  if (typeof id === 'string') return id;
  throw new ScimError('invalidValue', `members[${index}].value is missing.`);
}

/** The id, or else the last part of the URL. */
export function referencedId({ value, $ref }: Resource): unknown {
  return value ?? (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined);
}
