import { Type } from 'typebox';
import type { ApiKey, KeyRecord } from '../core/api-key.ts';
import type { Caller } from '../core/authenticate.ts';
import { nullable, timestamp } from './preset-response.ts';

/** presetd does not meter: nothing was spent, and nothing limits it. */
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
      note:
        rateLimitPerMinute === 0 ? 'There is no limit.' : 'Requests of one key to one process of presetd.',
    },
  };
}

function identityOf({ id, label, name, kind, readOnly }: ApiKey) {
  return { hash: id, label, name, kind, read_only: readOnly };
}

const nothing = Type.Null({ description: 'presetd does not meter spending.' });
const zero = Type.Integer({ description: 'presetd does not meter usage: always 0.' });

const billingFields = {
  limit: nothing,
  limit_remaining: nothing,
  limit_reset: nothing,
  include_byok_in_limit: Type.Boolean({ description: 'presetd does not meter spending: always false.' }),
  usage: zero,
  usage_daily: zero,
  usage_weekly: zero,
  usage_monthly: zero,
  byok_usage: zero,
  byok_usage_daily: zero,
  byok_usage_weekly: zero,
  byok_usage_monthly: zero,
};

const identity = {
  hash: Type.String({
    format: 'uuid',
    description: 'Names the key, here and in the log. It is not made from the secret.',
  }),
  label: Type.String({ description: 'Enough of the secret to tell keys apart.' }),
  name: Type.String(),
  kind: Type.Enum(['api', 'management']),
  read_only: Type.Boolean({ description: 'A management key that may only read.' }),
};

const expiresAt = nullable(
  Type.String({ format: 'date-time', description: 'The key is refused from then on.' }),
);

export const keySchema = Type.Object(
  {
    ...identity,
    disabled: Type.Boolean({ description: 'A disabled key is refused.' }),
    ...billingFields,
    created_at: timestamp,
    updated_at: nullable(timestamp),
    expires_at: expiresAt,
    last_used_at: nullable(
      Type.String({ format: 'date-time', description: 'Brought up to date once a minute at most.' }),
    ),
    previous_secret_expires_at: nullable(
      Type.String({ format: 'date-time', description: 'A secret that was replaced works until then.' }),
    ),
    creator_user_id: Type.String({ description: 'The member who owns the key.' }),
    creator_email: Type.String(),
    external_user: Type.Null(),
    workspace_id: Type.String({
      format: 'uuid',
      description: 'Management keys work in every workspace and are listed in the default one.',
    }),
  },
  { additionalProperties: false, description: 'A key without its secret.' },
);

export const currentKeySchema = Type.Object(
  {
    ...identity,
    is_management_key: Type.Boolean(),
    is_provisioning_key: Type.Boolean({ description: 'The older word for the same.' }),
    is_free_tier: Type.Boolean({ description: 'Always false.' }),
    ...billingFields,
    budgets: Type.Array(Type.Object({}), { description: 'presetd has no budgets: always empty.' }),
    effective_budget: Type.Null({ description: 'presetd has no budgets.' }),
    expires_at: expiresAt,
    creator_user_id: Type.String({ description: 'The member who owns the key.' }),
    workspace_id: nullable(
      Type.String({ format: 'uuid', description: 'Null for a management key, which works in all of them.' }),
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
      requests: Type.Integer({ description: '-1 when there is no limit.' }),
      interval: Type.String(),
      note: Type.String(),
    }),
  },
  { additionalProperties: false, description: 'The key that a request was made with.' },
);
