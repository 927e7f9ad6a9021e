import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  CurrentKey,
  Key,
  type KeyBudget,
  KeyEdit,
  type KeyWithSecret,
  keyOperations,
  NewKey,
} from '../../api/keys.ts';
import { graceSecondsDefault, keysPerPage } from '../../api/limits.ts';
import { subjectOfKey } from '../../core/budgets/key-limit.ts';
import type { SpendCounter } from '../../core/budgets/spend-limit.ts';
import type { SpendStore } from '../../core/budgets/spend-storage.ts';
import { PresetdError } from '../../core/errors.ts';
import { exactNanos, toDollars } from '../../core/ledger/price.ts';
import { endOfPeriod } from '../../core/ledger/usage-periods.ts';
import type { ApiKey, KeyRecord } from '../../core/organization/api-key.ts';
import type { Caller, ResolvedKey } from '../../core/organization/caller.ts';
import type { Keys, SecretKey } from '../../core/organization/keys.ts';
import { periodOf } from '../../core/organization/limit-reset.ts';
import { assertValidField, invalidField } from '../../core/request-issues.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';
import { fromWireBy, toWireBy } from '../wire-fields.ts';

export function keyRoutes(
  scope: FastifyInstance,
  keys: Keys,
  spending: Pick<SpendStore, 'find'>,
  rateLimitPerMinute: number,
): void {
  const usageOf = (...ids: readonly string[]) => spending.find(ids.map(subjectOfKey), Date.now());

  serveOperations(scope, keyOperations, {
    'GET /key': async (request) => {
      const key = requireKeyOf(callerOf(request));
      return { data: currentKeyToWire(key, await usageOf(key.id), rateLimitPerMinute) };
    },
    'GET /keys': async (request) => {
      const {
        workspace_id: workspaceId,
        include_disabled: includeDisabled = false,
        mine: isMine = false,
        offset = 0,
      } = request.query;
      const caller = callerOf(request);
      const found = await keys.list(caller, {
        ...(workspaceId !== undefined && { workspaceId }),
        isMine,
        includeDisabled,
        page: { offset, limit: keysPerPage },
      });
      const usage = await usageOf(...found.map(({ id }) => id));
      return { data: found.map((key) => keyToWire(key, usage, caller)) };
    },
    'POST /keys': async (request, reply) => {
      const {
        kind = 'api',
        readOnly = kind === 'read_only',
        creatorUserId,
        ...details
      } = withExactLimit(newKeyOf(request.body));
      // `read_only` is both a kind and a flag; the two must not contradict each other.
      assertValidField(
        '/read_only',
        kind === 'read_only' && !readOnly ? 'must be true for the kind read_only' : undefined,
      );
      const caller = callerOf(request);
      const created = await keys.create(caller, {
        ...details,
        kind: kind === 'read_only' ? 'management' : kind,
        readOnly,
        ownerId: creatorUserId ?? undefined,
      });
      return secretToWire(reply, created, await usageOf(created.key.id), caller);
    },
    'GET /keys/:hash': async (request) => {
      const caller = callerOf(request);
      const key = await keys.get(caller, request.params.hash);
      return { data: keyToWire(key, await usageOf(key.id), caller) };
    },
    'PATCH /keys/:hash': async (request) => {
      const caller = callerOf(request);
      const edit = withExactLimit(editOf(request.body));
      const key = await keys.edit(caller, request.params.hash, edit);
      return { data: keyToWire(key, await usageOf(key.id), caller) };
    },
    'DELETE /keys/:hash': async (request) => {
      await keys.delete(callerOf(request), request.params.hash);
      return { deleted: true };
    },
    'POST /keys/:hash/rotate': async (request, reply) => {
      const { grace_period_seconds: seconds = graceSecondsDefault } = request.body ?? {};
      const caller = callerOf(request);
      const rotated = await keys.rotate(caller, request.params.hash, seconds * 1_000);
      return secretToWire(reply, rotated, await usageOf(rotated.key.id), caller);
    },
  });
}

const newKeyOf = fromWireBy(NewKey);
const editOf = fromWireBy(KeyEdit);
const toKey = toWireBy(Key);
const toCurrentKey = toWireBy(CurrentKey);

/** The spend of keys. A key that was never used has no entry. */
type Usage = ReadonlyMap<string, SpendCounter>;

/** Limits are in dollars in the API, and in billionths of them in core. */
function withExactLimit<Fields extends { readonly limit?: number | null }>({ limit, ...others }: Fields) {
  if (limit === undefined) return others;
  const limitNanos = limit === null ? null : exactNanos(limit);
  if (limitNanos === undefined) throw invalidField('/limit', 'must have at most 9 decimals');
  return { ...others, limitNanos };
}

/** No proxy or browser may cache a secret. */
function secretToWire(
  reply: FastifyReply,
  { key, secret }: SecretKey,
  usage: Usage,
  caller: Caller,
): KeyWithSecret {
  reply.header('cache-control', 'no-store');
  return { data: keyToWire(key, usage, caller), key: secret };
}

/** Management keys are listed in the default workspace. */
function keyToWire(key: KeyRecord, usage: Usage, { defaultWorkspaceId }: Caller): Key {
  return toKey(key, {
    ...identityOf(key),
    ...billingOf(key, usage.get(subjectOfKey(key.id))),
    previous_secret_expires_at: key.retiredSecretExpiresAt,
    creator_email: key.ownerEmail,
    external_user: null,
    workspace_id: key.workspaceId ?? defaultWorkspaceId ?? '',
  });
}

/** Throws `not_found` for a session, which has no key. */
function requireKeyOf(caller: Caller): ResolvedKey {
  if (caller.kind !== 'session') return caller;
  throw new PresetdError('not_found', 'You are signed in without a key. GET /api/v1/account describes you.');
}

function currentKeyToWire(key: ResolvedKey, usage: Usage, rateLimitPerMinute: number): CurrentKey {
  const budget = keyBudgetToWire(key, usage.get(subjectOfKey(key.id)));
  return toCurrentKey(key, {
    ...identityOf(key),
    is_management_key: key.kind === 'management',
    is_provisioning_key: key.kind === 'management',
    is_free_tier: false,
    ...billingOf(key, usage.get(subjectOfKey(key.id))),
    budgets: budget === null ? [] : [budget],
    effective_budget: budget,
    allowed_data_regions: ['global'],
    free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
    rate_limit: {
      requests: rateLimitPerMinute === 0 ? -1 : rateLimitPerMinute,
      interval: '1m',
      note: rateLimitPerMinute === 0 ? 'No limit.' : 'Requests per key, counted by this server.',
    },
  });
}

/** Fields that the API names differently, in both responses. Neither contains the secret. */
function identityOf({ id, readOnly, scope, ownerId }: ApiKey) {
  return { hash: id, scope: readOnly ? ('read' as const) : scope, creator_user_id: ownerId };
}

function billingOf(key: ApiKey, costs: SpendCounter | undefined) {
  const budget = keyBudgetToWire(key, costs);
  return {
    limit: budget?.limit_usd ?? null,
    limit_remaining: budget?.remaining_usd ?? null,
    ...noByok,
    usage: toDollars(costs?.total ?? 0),
    usage_daily: toDollars(costs?.day ?? 0),
    usage_weekly: toDollars(costs?.week ?? 0),
    usage_monthly: toDollars(costs?.month ?? 0),
  };
}

/** The limit of a key and what is left of it; null without a limit. */
function keyBudgetToWire(
  { limitNanos, limitReset }: ApiKey,
  costs: SpendCounter | undefined,
): KeyBudget | null {
  if (limitNanos === null) return null;
  const period = limitReset === null ? null : periodOf[limitReset];
  const spentNanos = costs?.[period ?? 'total'] ?? 0;
  return {
    scope: 'key_limit',
    budget_id: null,
    guardrail_id: null,
    include_byok: false,
    limit_usd: toDollars(limitNanos),
    spend_usd: toDollars(spentNanos),
    remaining_usd: toDollars(limitNanos - spentNanos),
    reset_interval: limitReset,
    resets_at: period === null ? null : endOfPeriod(Date.now(), period),
  };
}

const noByok = {
  include_byok_in_limit: false,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
} as const;
