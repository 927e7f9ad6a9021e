import { Type } from 'typebox';
import { nullable, timestamp } from '../../api/schema-parts.ts';
import type { ApiKey, Caller, KeyRecord } from '../../core/organization/api-key.ts';

/**
 * OpenRouter's billing fields. presetd does not meter, so there is no usage and no limit;
 * OpenRouter's SDK requires the fields.
 */
const billing = {
  limit: null,
  limit_remaining: null,
  limit_reset: null,
  include_byok_in_limit: false,
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
} as const;

/** A key as the management API returns it. Management keys are listed in the default workspace. */
export function keyToWire(key: KeyRecord, { defaultWorkspaceId }: Caller): Type.Static<typeof keySchema> {
  return {
    ...identityOf(key),
    disabled: key.disabled,
    ...billing,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
    previous_secret_expires_at: key.retiredSecretExpiresAt,
    creator_user_id: key.ownerId,
    creator_email: key.ownerEmail,
    external_user: null,
    workspace_id: key.workspaceId ?? defaultWorkspaceId ?? '',
  };
}

/** The key of the request itself, as `GET /key` returns it. */
export function currentKeyToWire(
  key: Caller,
  rateLimitPerMinute: number,
): Type.Static<typeof currentKeySchema> {
  return {
    ...identityOf(key),
    is_management_key: key.kind === 'management',
    is_provisioning_key: key.kind === 'management',
    is_free_tier: false,
    ...billing,
    budgets: [],
    effective_budget: null,
    expires_at: key.expiresAt,
    creator_user_id: key.ownerId,
    workspace_id: key.workspaceId,
    organization_id: key.organizationId,
    allowed_data_regions: ['global'],
    free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
    rate_limit: {
      requests: rateLimitPerMinute === 0 ? -1 : rateLimitPerMinute,
      interval: '1m',
      note: rateLimitPerMinute === 0 ? 'No limit.' : 'Requests per key, counted by this server.',
    },
  };
}

/** The fields that both responses have. Neither contains the secret. */
function identityOf({ id, label, name, kind, readOnly }: ApiKey) {
  return { hash: id, label, name, kind, read_only: readOnly };
}

const alwaysNull = Type.Null({ description: 'Always null: presetd does not meter spending.' });
const alwaysZero = Type.Integer({ description: 'Always 0: presetd does not meter usage.' });

const billingFields = {
  limit: alwaysNull,
  limit_remaining: alwaysNull,
  limit_reset: alwaysNull,
  include_byok_in_limit: Type.Boolean({ description: 'Always false: presetd does not meter spending.' }),
  usage: alwaysZero,
  usage_daily: alwaysZero,
  usage_weekly: alwaysZero,
  usage_monthly: alwaysZero,
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
};

const expiresAt = nullable(
  Type.String({ format: 'date-time', description: 'The key stops working at this time.' }),
);

/** For management: includes billing, dates and the owner's address. */
export const keySchema = Type.Object(
  {
    ...identity,
    disabled: Type.Boolean({ description: 'A disabled key does not work.' }),
    ...billingFields,
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
);

/** For the caller itself: includes what it may do and its rate limit. */
export const currentKeySchema = Type.Object(
  {
    ...identity,
    is_management_key: Type.Boolean(),
    is_provisioning_key: Type.Boolean({ description: 'Older name of `is_management_key`.' }),
    is_free_tier: Type.Boolean({ description: 'Always false.' }),
    ...billingFields,
    budgets: Type.Array(Type.Object({}), { description: 'Always empty: presetd has no budgets.' }),
    effective_budget: Type.Null({ description: 'Always null: presetd has no budgets.' }),
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
);
