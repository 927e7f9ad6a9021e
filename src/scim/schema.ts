/**
 * The schemas of users and groups, as RFC 7643 writes them. They are published at `/Schemas`, and
 * decide how requests are read, filtered and patched. Attributes that are not listed are ignored:
 * presetd has no use for them, and does not store personal data that it does not need.
 */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'reference' | 'dateTime' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable';
  readonly returned: 'always' | 'default';
  readonly uniqueness: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

function attribute(name: string, description: string, properties: Partial<Attribute> = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...properties,
  };
}

const readOnly = { mutability: 'readOnly' } as const;
const exact = { caseExact: true } as const;

export const userSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A member of the organization',
  attributes: [
    attribute('userName', 'The name that identifies the user at the provider, in any case.', {
      required: true,
      uniqueness: 'server',
    }),
    attribute('name', 'The name of the person.', {
      type: 'complex',
      subAttributes: [
        attribute('formatted', 'The full name, which presetd only stores.'),
        attribute('familyName', 'The last name.'),
        attribute('givenName', 'The first name.'),
      ],
    }),
    attribute('displayName', 'The name to show, which presetd only stores.'),
    attribute('title', 'The title of the person, which presetd only stores.'),
    attribute(
      'active',
      'A user who is not active cannot sign in, and their keys do not work. True if it is absent.',
      { type: 'boolean', required: true },
    ),
    attribute(
      'emails',
      'The primary address, or else the one of the type work, or else the first, is that of the member. Without any, userName has to be an address.',
      {
        type: 'complex',
        multiValued: true,
        required: true,
        subAttributes: [
          attribute('value', 'The address.', { required: true }),
          attribute('type', 'Such as work.', { canonicalValues: ['work', 'home', 'other'] }),
          attribute('primary', 'Whether this is the preferred address.', { type: 'boolean' }),
        ],
      },
    ),
    attribute('groups', 'The groups of the user. They are changed through the groups.', {
      type: 'complex',
      multiValued: true,
      ...readOnly,
      subAttributes: [
        attribute('value', 'The id of the group.', { ...readOnly, ...exact }),
        attribute('$ref', 'The URL of the group.', {
          type: 'reference',
          referenceTypes: ['Group'],
          ...readOnly,
          ...exact,
        }),
        attribute('display', 'The name of the group.', readOnly),
        attribute('type', 'Always direct: groups have no groups.', {
          canonicalValues: ['direct'],
          ...readOnly,
        }),
      ],
    }),
  ],
};

export const groupSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of users, to which the settings of presetd can give roles',
  attributes: [
    attribute('displayName', 'The name, by which the settings refer to the group.', {
      required: true,
      uniqueness: 'server',
    }),
    attribute('members', 'The users in the group.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the user.', { mutability: 'immutable', ...exact }),
        attribute('$ref', 'The URL of the user.', {
          type: 'reference',
          referenceTypes: ['User'],
          mutability: 'immutable',
          ...exact,
        }),
        attribute('type', 'Always User: groups have no groups.', {
          mutability: 'immutable',
          canonicalValues: ['User'],
        }),
      ],
    }),
  ],
};

/** Attributes of every resource, which RFC 7643 keeps out of the schemas. */
const commonAttributes: readonly Attribute[] = [
  attribute('schemas', '', { type: 'reference', multiValued: true, ...readOnly, returned: 'always' }),
  attribute('id', '', { ...readOnly, ...exact, returned: 'always' }),
  attribute('externalId', '', exact),
  attribute('meta', '', {
    type: 'complex',
    ...readOnly,
    subAttributes: [
      attribute('resourceType', '', { ...readOnly, ...exact }),
      attribute('created', '', { type: 'dateTime', ...readOnly }),
      attribute('lastModified', '', { type: 'dateTime', ...readOnly }),
      attribute('location', '', { type: 'reference', ...readOnly, ...exact }),
    ],
  }),
];

export function allAttributes(schema: Schema): readonly Attribute[] {
  return [...commonAttributes, ...schema.attributes];
}

/** Names of attributes are compared in any case. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const key = name.toLowerCase();
  return attributes.find((each) => each.name.toLowerCase() === key);
}

/** An attribute, or one of its parts. */
export interface AttributePath {
  readonly attribute: Attribute;
  readonly sub: Attribute | undefined;
}

/**
 * Resolves a path such as `name.givenName`, with or without the URN of the schema. Undefined for an
 * attribute that the schema does not have.
 */
export function resolvePath(schema: Schema, path: string): AttributePath | undefined {
  const prefix = `${schema.id}:`;
  const isPrefixed = path.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase();
  const [name = '', subName, ...more] = (isPrefixed ? path.slice(prefix.length) : path).split('.');
  const found = findAttribute(allAttributes(schema), name);
  if (found === undefined || more.length > 0) return undefined;
  if (subName === undefined) return { attribute: found, sub: undefined };
  const sub = findAttribute(found.subAttributes ?? [], subName);
  return sub && { attribute: found, sub };
}
