import { keyScopes } from '../core/organization/key-scope.ts';
import { limitDollarsMax, limitResets } from '../core/organization/limit-reset.ts';
import { namePattern } from '../core/text/name.ts';
import { storablePattern } from '../core/text/storable-text.ts';
import { Type } from '../core/type.ts';
import { graceSecondsDefault, graceSecondsMax, keyPresetsMax, keysPerPage } from './limits.ts';
import { operations } from './operation.ts';
import {
  deleted,
  documentedPattern,
  named,
  nullable,
  one,
  pageQuery,
  ref,
  timestamp,
  timestampInput,
  unsupportedField,
  uuid,
} from './schema-parts.ts';

/**
 * Keys of the organization, compatible with OpenRouter's API, plus rotation. With a management key,
 * members manage their own keys and an org:admin manages all.
 *
 * `:hash` is OpenRouter's name for the id of a key. Secrets appear only in the response that
 * creates them; the server stores their hash.
 */

const alwaysZero = Type.Integer({ description: 'Always 0: upstreams are called with keys of your own.' });
const usage = (period: string) =>
  Type.Number({
    description: `What calls with the key have cost ${period}, in US dollars. Calls of unknown cost are not included.`,
  });

const limitReset = nullable(
  Type.Enum([...limitResets], {
    description:
      'When the limit resets: every day, week or month, at midnight in UTC. Weeks start on Monday. Null: never.',
  }),
);

/** OpenRouter's billing fields, all of which its SDK requires. */
const billing = {
  limit: nullable(
    Type.Number({ description: 'What calls with the key may cost, in US dollars. Null: no limit.' }),
  ),
  limit_remaining: nullable(
    Type.Number({
      description:
        'What is left of the limit, in US dollars; negative if it was lowered or exceeded. Null without a limit.',
    }),
  ),
  limit_reset: limitReset,
  include_byok_in_limit: Type.Boolean({ description: 'Always false.' }),
  usage: usage('so far'),
  usage_daily: usage('today, in UTC'),
  usage_weekly: usage('since Monday'),
  usage_monthly: usage('this month'),
  byok_usage: alwaysZero,
  byok_usage_daily: alwaysZero,
  byok_usage_weekly: alwaysZero,
  byok_usage_monthly: alwaysZero,
};

const identity = {
  hash: Type.String({
    format: 'uuid',
    description: 'Identifies the key in the API and in logs. It is not derived from the secret.',
  }),
  label: Type.String({ description: 'The first and last characters of the secret, to tell keys apart.' }),
  name: Type.String(),
  kind: Type.Enum(['api', 'management']),
  read_only: Type.Boolean({ description: 'Whether this is a management key that can only read.' }),
  scope: Type.Enum([...keyScopes], {
    description:
      '`call`: calls models and presets, and lists models. `read`: also reads presets. `write`: also changes them. A key never has more access than its owner.',
  }),
  presets: nullable(
    Type.Array(Type.String(), {
      description: 'The names of presets that the key is limited to. Null: all of its workspace.',
    }),
  ),
};

const expiresAt = nullable(
  Type.String({ format: 'date-time', description: 'The key stops working at this time.' }),
);

/** For management: includes billing, dates and the owner's address. */
export const Key = named(
  'Key',
  Type.Object(
    {
      ...identity,
      disabled: Type.Boolean({ description: 'A disabled key does not work.' }),
      ...billing,
      created_at: timestamp,
      updated_at: nullable(timestamp),
      expires_at: expiresAt,
      last_used_at: nullable(
        Type.String({ format: 'date-time', description: 'Updated at most once a minute.' }),
      ),
      previous_secret_expires_at: nullable(
        Type.String({ format: 'date-time', description: 'Until then the previous secret still works.' }),
      ),
      creator_user_id: Type.String({ description: 'The member who owns the key.' }),
      creator_email: Type.String(),
      external_user: Type.Null(),
      workspace_id: Type.String({
        format: 'uuid',
        description: 'Management keys work in every workspace and are listed in the default workspace.',
      }),
    },
    { additionalProperties: false, description: 'A key without its secret.' },
  ),
);

/** OpenRouter has more kinds of budgets; a key of presetd has only its own limit. */
const KeyBudget = named(
  'KeyBudget',
  Type.Object(
    {
      scope: Type.Enum(['key_limit']),
      budget_id: Type.Null(),
      guardrail_id: Type.Null(),
      include_byok: Type.Boolean({ description: 'Always false.' }),
      limit_usd: Type.Number(),
      spend_usd: Type.Number({ description: 'What calls have cost since the limit last reset.' }),
      remaining_usd: Type.Number(),
      reset_interval: limitReset,
      resets_at: nullable(
        Type.String({ format: 'date-time', description: 'When the limit resets. Null: never.' }),
      ),
    },
    { additionalProperties: false, description: 'A limit for the calls with a key.' },
  ),
);

/** For the caller itself: includes what it may do and its rate limit. */
export const CurrentKey = named(
  'CurrentKey',
  Type.Object(
    {
      ...identity,
      is_management_key: Type.Boolean(),
      is_provisioning_key: Type.Boolean({ description: 'Older name of `is_management_key`.' }),
      is_free_tier: Type.Boolean({ description: 'Always false.' }),
      ...billing,
      budgets: Type.Array(ref(KeyBudget), { description: 'The limit of the key, if it has one.' }),
      effective_budget: nullable(ref(KeyBudget)),
      expires_at: expiresAt,
      creator_user_id: Type.String({ description: 'The member who owns the key.' }),
      workspace_id: nullable(
        Type.String({
          format: 'uuid',
          description: 'Null for a management key, which works in every workspace.',
        }),
      ),
      organization_id: nullable(
        Type.String({ format: 'uuid', description: 'Null for a personal management key.' }),
      ),
      allowed_data_regions: Type.Array(Type.String()),
      free_model_daily_requests: Type.Object({
        limit: Type.Integer(),
        remaining: Type.Integer(),
        used: Type.Integer(),
      }),
      rate_limit: Type.Object({
        requests: Type.Integer({ description: 'Requests per interval; -1 if there is no limit.' }),
        interval: Type.String(),
        note: Type.String(),
      }),
    },
    { additionalProperties: false, description: 'The key of the request itself.' },
  ),
);

const spendingLimit = {
  limit: Type.Optional(
    nullable(
      Type.Number({
        minimum: 0,
        maximum: limitDollarsMax,
        description:
          'What calls with the key may cost, in US dollars with at most 9 decimals. Null: no limit.',
      }),
    ),
  ),
  limit_reset: Type.Optional(limitReset),
  include_byok_in_limit: unsupportedField(false, 'BYOK usage'),
};

const expiry = Type.Optional(
  nullable(timestampInput('The key stops working at this time. Null: it never expires.')),
);

const keyName = Type.String({
  minLength: 1,
  maxLength: 200,
  ...documentedPattern(namePattern),
  description: 'What the key is used for.',
});

function keyPresets(description: string) {
  const name = Type.String({ minLength: 1, maxLength: 128 });
  return Type.Optional(nullable(Type.Array(name, { minItems: 1, maxItems: keyPresetsMax, description })));
}

export const NewKey = named(
  'NewKey',
  Type.Object(
    {
      name: keyName,
      kind: Type.Optional(
        Type.Enum(['api', 'management', 'read_only'], {
          description:
            '`api` (default): calls and presets of one workspace. `management`: the whole organization. `read_only`: a management key that can only read.',
        }),
      ),
      read_only: Type.Optional(Type.Boolean({ description: 'For a `management` key: it can only read.' })),
      scope: Type.Optional(
        Type.Enum([...keyScopes], {
          description: 'What an `api` key can do. Default `write`. For a `management` key, see `read_only`.',
        }),
      ),
      presets: keyPresets(
        'Limits an `api` key to presets with these slugs or aliases, which must exist. It then cannot call models directly, nor list presets.',
      ),
      expires_at: expiry,
      creator_user_id: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            ...documentedPattern(storablePattern),
            description:
              'The id of the member who will own the key. Default: the owner of the key that makes the request.',
          }),
        ),
      ),
      workspace_id: Type.Optional(
        Type.String({
          format: 'uuid',
          description: 'The workspace of an `api` key. Default: the default workspace.',
        }),
      ),
      ...spendingLimit,
      external: unsupportedField(null, 'external users'),
    },
    { additionalProperties: false },
  ),
);

/**
 * All fields are optional, but at least one is required: an empty edit is most likely a mistake.
 */
export const KeyEdit = named(
  'KeyEdit',
  Type.Object(
    {
      name: Type.Optional(keyName),
      disabled: Type.Optional(
        Type.Boolean({ description: 'A disabled key does not work until it is enabled again.' }),
      ),
      expires_at: expiry,
      presets: keyPresets(
        'Limits an `api` key to presets with these slugs or aliases, which must exist in its workspace, in place of those it had. Null: it is no longer limited.',
      ),
      workspace_id: Type.Optional(
        Type.String({
          format: 'uuid',
          description:
            'Moves the key to this workspace. It keeps its secret; presets stay in the old workspace. ' +
            'The owner must be a member of the workspace; an org:admin is added automatically.',
        }),
      ),
      ...spendingLimit,
    },
    { additionalProperties: false, minProperties: 1 },
  ),
);

/** The body is optional. */
const rotation = Type.Unsafe<{ readonly grace_period_seconds?: number } | null | undefined>(
  Type.Object(
    {
      grace_period_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: graceSecondsMax,
          description: `How long the previous secret keeps working. Default ${graceSecondsDefault}; 0 revokes it immediately.`,
        }),
      ),
    },
    { additionalProperties: false, type: ['object', 'null'] },
  ),
);

const params = Type.Object({
  hash: Type.String({
    description:
      'The `hash` of the key. Its label also works, unless two keys share it (409), and so does the hexadecimal SHA-256 of one of its secrets.',
  }),
});

/** The only responses with a secret: creating and rotating a key. */
const keyWithSecret = Type.Object({
  data: ref(Key),
  key: Type.String({ description: 'The secret. It is returned only once.' }),
});

export type Key = Type.Static<typeof Key.schema>;
export type KeyBudget = Type.Static<typeof KeyBudget.schema>;
export type CurrentKey = Type.Static<typeof CurrentKey.schema>;
export type KeyWithSecret = Type.Static<typeof keyWithSecret>;

const tag = 'Keys';
const oneKey = one(ref(Key));

export const keyOperations = operations({
  'GET /key': {
    id: 'getCurrentKey',
    tag,
    access: 'key',
    summary: 'Get the key of this request',
    description: 'Returns 404 for a session.',
    response: { description: 'The key.', body: one(ref(CurrentKey)) },
    errors: [404],
  },
  'GET /keys': {
    id: 'listKeys',
    tag,
    access: 'member',
    summary: 'List keys',
    description: `Newest first, ${keysPerPage} per page.`,
    query: Type.Object({
      include_disabled: Type.Optional(
        Type.Boolean({ description: 'Whether to include disabled keys. Default false.' }),
      ),
      mine: Type.Optional(
        Type.Boolean({ description: 'Only your own keys, of all workspaces. Default false.' }),
      ),
      offset: pageQuery.properties.offset,
      workspace_id: Type.Optional({
        ...uuid,
        description: 'Default: the default workspace, together with the management keys.',
      }),
    }),
    response: {
      description: 'A page of keys; empty past the end.',
      body: Type.Object({ data: Type.Array(ref(Key)) }),
    },
  },
  'POST /keys': {
    id: 'createKey',
    tag,
    access: 'member-write',
    accessFor: { 'org-admin-write': 'Creating a key for somebody else' },
    summary: 'Create a key',
    description: 'Creates a key for yourself. An org:admin can also create keys for others.',
    body: ref(NewKey),
    bodySize: 'small',
    response: {
      status: 201,
      description: 'The key with its secret, which is returned only once.',
      body: keyWithSecret,
    },
  },
  'GET /keys/:hash': {
    id: 'getKey',
    tag,
    access: 'member',
    accessFor: { 'workspace-admin': "Reading somebody else's key" },
    summary: 'Get a key',
    params,
    response: { description: 'The key.', body: oneKey },
    errors: [409],
  },
  'PATCH /keys/:hash': {
    id: 'updateKey',
    tag,
    access: 'member-write',
    accessFor: {
      'workspace-admin-write': "Disabling somebody else's key",
      'org-admin-write':
        "Changing somebody else's key in any other way; raising or removing the limit of any key, or making it reset more often",
    },
    summary: 'Update a key',
    description:
      'Renames, disables, enables or moves a key, or changes its expiry, its limit or its presets. Omitted fields stay unchanged. The change takes effect in every presetd process within a second.',
    params,
    body: ref(KeyEdit),
    bodySize: 'small',
    response: { description: 'The updated key.', body: oneKey },
    errors: [409],
  },
  'DELETE /keys/:hash': {
    id: 'deleteKey',
    tag,
    access: 'member-write',
    accessFor: { 'workspace-admin-write': "Deleting somebody else's key" },
    summary: 'Delete a key',
    description: 'The key stops working in every presetd process within a second.',
    params,
    response: deleted,
    errors: [409],
  },
  'POST /keys/:hash/rotate': {
    id: 'rotateKey',
    tag,
    access: 'member-write',
    accessFor: { 'org-admin-write': "Rotating somebody else's key" },
    summary: 'Rotate the secret of a key',
    description:
      'Returns a new secret. The previous one keeps working for a grace period, so that you can deploy the new one first. The body is optional.',
    params,
    body: rotation,
    bodySize: 'small',
    response: {
      description: 'The key with its new secret, which is returned only once.',
      body: keyWithSecret,
    },
    errors: [409],
  },
});
