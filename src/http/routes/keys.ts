import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { documentedPattern } from '../../api/documented-pattern.ts';
import { deletedResponse, errorResponses } from '../../api/errors.ts';
import { offsetQuery } from '../../api/page-query.ts';
import { nullable } from '../../api/schema-parts.ts';
import { timestampInput, toUtc } from '../../api/timestamp-input.ts';
import { unsupportedField } from '../../api/unsupported-fields.ts';
import { namePattern } from '../../core/name.ts';
import type { Caller } from '../../core/organization/api-key.ts';
import type { Keys, SecretKey } from '../../core/organization/keys.ts';
import { assertValidField } from '../../core/request-issues.ts';
import { storablePattern } from '../../core/storable-text.ts';
import { callerOf } from '../authentication.ts';
import { smallBodyLimit } from '../body/request-body.ts';
import { currentKeyToWire, keyToWire } from './key-response.ts';

/** OpenRouter's page size. */
const keysPerPage = 100;

/** Default grace period of a rotation: long enough to deploy the new secret. */
const graceSecondsDefault = 3_600;

/** 30 days: enough for a slow rollout, and no secret stays valid forever by mistake. */
const graceSecondsMax = 30 * 24 * 3_600;

interface KeyRoute {
  readonly Params: { readonly hash: string };
}

/**
 * Keys of the organization, compatible with OpenRouter's API, plus rotation. Everything but `GET
 * /key` needs a management key: with it, members manage their own keys and an org:admin manages
 * all.
 *
 * `:hash` is OpenRouter's name for the id of a key. Secrets appear only in the response that
 * creates them; the server stores their hash.
 */
export function keyRoutes(scope: FastifyInstance, keys: Keys, rateLimitPerMinute: number): void {
  scope.get('/key', { schema: currentSchema }, async (request) => ({
    data: currentKeyToWire(callerOf(request), rateLimitPerMinute),
  }));

  scope.get<{ Querystring: Type.Static<typeof listQuery> }>(
    '/keys',
    { schema: listSchema },
    async (request) => {
      const {
        workspace_id: workspaceId,
        include_disabled: includeDisabled = false,
        offset = 0,
      } = request.query;
      const caller = callerOf(request);
      const found = await keys.list(caller, {
        ...(workspaceId !== undefined && { workspaceId }),
        includeDisabled,
        page: { offset, limit: keysPerPage },
      });
      return { data: found.map((key) => keyToWire(key, caller)) };
    },
  );

  scope.post<{ Body: Type.Static<typeof newKeySchema> }>(
    '/keys',
    { schema: createSchema, ...smallBodyLimit(scope) },
    async (request, reply) => {
      const {
        name,
        kind = 'api',
        read_only: readOnly = kind === 'read_only',
        expires_at,
        creator_user_id,
        workspace_id,
      } = request.body;
      // `read_only` is both a kind and a flag; the two must not contradict each other.
      assertValidField(
        '/read_only',
        kind === 'read_only' && !readOnly ? 'must be true for the kind read_only' : undefined,
      );
      const caller = callerOf(request);
      const created = await keys.create(caller, {
        name,
        kind: kind === 'read_only' ? 'management' : kind,
        readOnly,
        expiresAt: expires_at ? toUtc(expires_at) : null,
        ownerId: creator_user_id ?? undefined,
        workspaceId: workspace_id,
      });
      return sendSecret(reply.code(201), created, caller);
    },
  );

  scope.get<KeyRoute>('/keys/:hash', { schema: getSchema }, async (request) => {
    const caller = callerOf(request);
    return { data: keyToWire(await keys.get(caller, request.params.hash), caller) };
  });

  scope.patch<KeyRoute & { Body: Type.Static<typeof keyEditSchema> }>(
    '/keys/:hash',
    { schema: editSchema, ...smallBodyLimit(scope) },
    async (request) => {
      const { name, disabled, expires_at, workspace_id: workspaceId } = request.body;
      const caller = callerOf(request);
      // Null removes the expiry, undefined keeps it.
      const expiresAt = expires_at ? toUtc(expires_at) : expires_at;
      const edit = { name, disabled, expiresAt, workspaceId };
      const changed = await keys.edit(caller, request.params.hash, edit);
      return { data: keyToWire(changed, caller) };
    },
  );

  scope.delete<KeyRoute>('/keys/:hash', { schema: deleteSchema }, async (request) => {
    await keys.delete(callerOf(request), request.params.hash);
    return { deleted: true };
  });

  scope.post<KeyRoute & { Body: Type.Static<typeof rotationSchema> | undefined }>(
    '/keys/:hash/rotate',
    { schema: rotateSchema, ...smallBodyLimit(scope) },
    async (request, reply) => {
      const { grace_period_seconds: seconds = graceSecondsDefault } = request.body ?? {};
      const caller = callerOf(request);
      return sendSecret(reply, await keys.rotate(caller, request.params.hash, seconds * 1_000), caller);
    },
  );
}

/** No proxy or browser may cache a secret. */
function sendSecret(reply: FastifyReply, { key, secret }: SecretKey, caller: Caller) {
  reply.header('cache-control', 'no-store');
  return { data: keyToWire(key, caller), key: secret };
}

/** OpenRouter's fields for spending limits, accepted as long as they set no limit. */
const unlimited = {
  limit: Type.Optional(unsupportedField(null, 'spending limits')),
  limit_reset: Type.Optional(unsupportedField(null, 'spending limits')),
  include_byok_in_limit: Type.Optional(unsupportedField(false, 'spending limits')),
};

const expiry = Type.Unsafe<string>({
  ...timestampInput,
  description: 'The key stops working at this time. Null: it never expires.',
});

const keyName = Type.String({
  minLength: 1,
  maxLength: 200,
  ...documentedPattern(namePattern),
  description: 'What the key is used for.',
});

export const newKeySchema = Type.Object(
  {
    name: keyName,
    kind: Type.Optional(
      Type.Enum(['api', 'management', 'read_only'], {
        description:
          '`api` (default): calls and presets of one workspace. `management`: the whole organization. `read_only`: a management key that can only read.',
      }),
    ),
    read_only: Type.Optional(Type.Boolean({ description: 'For a `management` key: it can only read.' })),
    expires_at: Type.Optional(nullable(expiry)),
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
    ...unlimited,
    external: Type.Optional(unsupportedField(null, 'external users')),
  },
  { additionalProperties: false },
);

/**
 * All fields are optional, but at least one is required: an empty edit is most likely a mistake.
 */
export const keyEditSchema = Type.Object(
  {
    name: Type.Optional(keyName),
    disabled: Type.Optional(
      Type.Boolean({ description: 'A disabled key does not work until it is enabled again.' }),
    ),
    expires_at: Type.Optional(nullable(expiry)),
    workspace_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Moves the key to this workspace. It keeps its secret; presets stay in the old workspace. ' +
          'The owner must be a member of the workspace; an org:admin is added automatically.',
      }),
    ),
    ...unlimited,
  },
  { additionalProperties: false, minProperties: 1 },
);

/** The body is optional. */
const rotationSchema = Type.Object(
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
);

const listQuery = Type.Object({
  include_disabled: Type.Optional(
    Type.Boolean({ description: 'Whether to include disabled keys. Default false.' }),
  ),
  offset: offsetQuery,
  workspace_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Default: the default workspace, together with the management keys.',
    }),
  ),
});

const params = Type.Object({
  hash: Type.String({
    description:
      'The `hash` of the key. Its label also works, unless two keys share it (409), and so does the hexadecimal SHA-256 of one of its secrets.',
  }),
});

const one = { type: 'object', required: ['data'], properties: { data: { $ref: 'Key#' } } };

/** The only responses with a secret: creating and rotating a key. */
const secretOnce = {
  type: 'object',
  required: ['data', 'key'],
  properties: {
    data: { $ref: 'Key#' },
    key: { type: 'string', description: 'The secret. It is returned only once.' },
  },
};

const readErrors = errorResponses(400, 401, 403, 404, 429, 500, 503);
const writeErrors = errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 500, 503);

const currentSchema = {
  operationId: 'getCurrentKey',
  tags: ['Keys'],
  summary: 'Get the key of this request',
  response: {
    200: {
      description: 'The key.',
      type: 'object',
      required: ['data'],
      properties: { data: { $ref: 'CurrentKey#' } },
    },
    ...errorResponses(401, 403, 429, 500, 503),
  },
};

const listSchema = {
  operationId: 'listKeys',
  tags: ['Keys'],
  summary: 'List keys',
  description: `Newest first, ${keysPerPage} per page.`,
  querystring: listQuery,
  response: {
    200: {
      description: 'A page of keys; empty past the end.',
      type: 'object',
      required: ['data'],
      properties: { data: { type: 'array', items: { $ref: 'Key#' } } },
    },
    ...readErrors,
  },
};

const createSchema = {
  operationId: 'createKey',
  tags: ['Keys'],
  summary: 'Create a key',
  description: 'Creates a key for yourself. An org:admin can also create keys for others.',
  body: { $ref: 'NewKey#' },
  response: {
    201: { description: 'The key with its secret, which is returned only once.', ...secretOnce },
    ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503),
  },
};

const getSchema = {
  operationId: 'getKey',
  tags: ['Keys'],
  summary: 'Get a key',
  params,
  response: { 200: { description: 'The key.', ...one }, ...readErrors, ...errorResponses(409) },
};

const editSchema = {
  operationId: 'updateKey',
  tags: ['Keys'],
  summary: 'Update a key',
  description:
    'Renames, disables, enables or moves a key, or changes its expiry. Omitted fields stay unchanged. The change takes effect in every presetd process within a second.',
  params,
  body: { $ref: 'KeyEdit#' },
  response: { 200: { description: 'The updated key.', ...one }, ...writeErrors },
};

const deleteSchema = {
  operationId: 'deleteKey',
  tags: ['Keys'],
  summary: 'Delete a key',
  description: 'The key stops working in every presetd process within a second.',
  params,
  response: { 200: deletedResponse, ...writeErrors },
};

const rotateSchema = {
  operationId: 'rotateKey',
  tags: ['Keys'],
  summary: 'Rotate the secret of a key',
  description:
    'Returns a new secret. The previous one keeps working for a grace period, so that you can deploy the new one first. The body is optional.',
  params,
  body: rotationSchema,
  response: {
    200: { description: 'The key with its new secret, which is returned only once.', ...secretOnce },
    ...writeErrors,
  },
};
