import { definedFields } from '../core/json/defined-fields.ts';
import { emailRule, isEmail, isName, nameRule } from '../core/organization/organization.ts';
import {
  emailOf,
  type ProvisionedUser,
  type UserEmail,
  type UserInput,
} from '../core/provisioning/provisioned-user.ts';
import type { UserLookup } from '../core/provisioning/provisioning-storage.ts';
import { nameProblem } from '../core/text/name.ts';
import type { Equality } from './filter.ts';
import { isObject, type Resource } from './read-resource.ts';
import { userSchema } from './schema.ts';
import { ScimError } from './scim-error.ts';

/** A user as clients see them. `base` is the URL of the SCIM API. */
export function toUserResource(user: ProvisionedUser, base: string): Resource {
  const { member, attributes } = user;
  return definedFields({
    schemas: [userSchema.id],
    id: member.id,
    externalId: user.externalId ?? undefined,
    userName: user.userName,
    name: presentOrUndefined({
      formatted: attributes.formattedName,
      familyName: member.lastName || undefined,
      givenName: member.firstName || undefined,
    }),
    displayName: attributes.displayName,
    title: attributes.title,
    active: member.deactivatedAt === null,
    emails: attributes.emails.length === 0 ? undefined : attributes.emails,
    groups:
      user.groups.length === 0
        ? undefined
        : user.groups.map(({ id, displayName }) => ({
            value: id,
            $ref: `${base}/Groups/${id}`,
            display: displayName,
            type: 'direct',
          })),
    meta: {
      resourceType: userSchema.name,
      created: user.createdAt,
      lastModified: user.updatedAt,
      location: `${base}/Users/${member.id}`,
    },
  });
}

/** Reads what `readResource` returns for a user. Throws `invalidValue` for all problems at once. */
export function fromUserResource(resource: Resource): UserInput {
  const { externalId, displayName, title, active } = resource;
  const userName = textOf(resource.userName) ?? '';
  const name = isObject(resource.name) ? resource.name : {};
  const emails = Array.isArray(resource.emails) ? (resource.emails as readonly UserEmail[]) : [];
  const email = emailOf({ userName, attributes: { emails } });
  const [firstName, lastName] = [textOf(name.givenName), textOf(name.familyName)];
  const problems = [
    ...problemOf('userName', userName),
    ...problemOf('name.givenName', firstName),
    ...problemOf('name.familyName', lastName),
    ...emails.flatMap(({ value }, index) => (isEmail(value) ? [] : [`emails[${index}].value ${emailRule}`])),
    ...(emails.length === 0 && !isEmail(email)
      ? ['emails is missing, and userName is not an email address']
      : []),
  ];
  if (problems.length > 0) throw new ScimError('invalidValue', `${problems.join('; ')}.`);
  return {
    userName,
    externalId: textOf(externalId) ?? null,
    email,
    firstName,
    lastName,
    isActive: typeof active === 'boolean' ? active : undefined,
    attributes: {
      emails,
      ...definedFields({
        displayName: textOf(displayName),
        formattedName: textOf(name.formatted),
        title: textOf(title),
      }),
    },
  };
}

/** The index that answers a filter; undefined if none does. */
export function userLookupOf(equality: Equality | undefined): UserLookup | undefined {
  if (equality === undefined || typeof equality.value !== 'string') return undefined;
  const by = lookups[equality.path];
  return by && { by, value: equality.value };
}

const lookups: Readonly<Record<string, UserLookup['by']>> = {
  id: 'id',
  userName: 'userName',
  externalId: 'externalId',
  'emails.value': 'email',
};

function problemOf(path: string, name: string | undefined): readonly string[] {
  if (name === undefined || name === '') return [];
  const problem = isName(name) ? nameProblem(name) : nameRule;
  return problem === undefined ? [] : [`${path} ${problem}`];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function presentOrUndefined(values: Resource): Resource | undefined {
  const found = definedFields(values);
  return Object.keys(found).length === 0 ? undefined : found;
}
