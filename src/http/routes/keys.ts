import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Caller } from '../../core/authenticate.ts';
import type { Keys, SecretKey } from '../../core/keys.ts';
import { namePattern } from '../../core/preset-name.ts';
import { assertValid } from '../../core/request-text.ts';
import { storablePattern } from '../../core/storable-text.ts';
import { callerOf } from '../authentication.ts';
import { smallBodyLimit } from '../body-limits.ts';
import { documentedPattern } from '../documented-pattern.ts';
import { deletedResponse, errorResponses } from '../error-schema.ts';
import { currentKeyToWire, keyToWire } from '../key-response.ts';
import { offsetQuery } from '../page-query.ts';
import { nullable } from '../preset-response.ts';
import { timestampInput, toUtc } from '../timestamp-input.ts';
import { unsupportedField } from '../unsupported-fields.ts';

/** As many as OpenRouter lists. */
const keysPerPage = 100;

/** For a rotation that does not say: long enough to deploy the new secret. */
const graceSecondsDefault = 3_600;
const graceSecondsMax = 30 * 24 * 3_600;

interface KeyRoute {
  readonly Params: { readonly hash: string };
}

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
      assertValid(
        '/read_only',
        kind === 'read_only' && !readOnly ? 'contradicts the kind read_only' : undefined,
      );
      const caller = callerOf(request);
      const made = await keys.create(caller, {
        name,
        kind: kind === 'read_only' ? 'management' : kind,
        readOnly,
        expiresAt: expires_at ? toUtc(expires_at) : null,
        ownerId: creator_user_id ?? undefined,
        workspaceId: workspace_id,
      });
      return sendSecret(reply.code(201), made, caller);
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
      const expiresAt = expires_at ? toUtc(expires_at) : expires_at;
      const wanted = { name, disabled, expiresAt, workspaceId };
      const changed = await keys.edit(caller, request.params.hash, wanted);
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

/** Nobody on the way may keep it. */
function sendSecret(reply: FastifyReply, { key, secret }: SecretKey, caller: Caller) {
  reply.header('cache-control', 'no-store');
  return { data: keyToWire(key, caller), key: secret };
}

/** What OpenRouter limits spending with. It may be given as long as it limits nothing. */
const unlimited = {
  limit: Type.Optional(unsupportedField(null, 'spending limits')),
  limit_reset: Type.Optional(unsupportedField(null, 'spending limits')),
  include_byok_in_limit: Type.Optional(unsupportedField(false, 'spending limits')),
};

const expiry = Type.Unsafe<string>({
  ...timestampInput,
  description: 'The key is refused from then on. Null for never.',
});

const keyName = Type.String({
  minLength: 1,
  maxLength: 200,
  ...documentedPattern(namePattern),
  description: 'What the key is for.',
});

export const newKeySchema = Type.Object(
  {
    name: keyName,
    kind: Type.Optional(
      Type.Enum(['api', 'management', 'read_only'], {
        description:
          '`api` (the default) for presets in one workspace; `management` for the organization; `read_only` is a management key that may only read.',
      }),
    ),
    read_only: Type.Optional(Type.Boolean({ description: 'For a `management` key: it may only read.' })),
    expires_at: Type.Optional(nullable(expiry)),
    creator_user_id: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          ...documentedPattern(storablePattern),
          description:
            'The id of the member who is to own the key. Without it, the owner of the key of this request.',
        }),
      ),
    ),
    workspace_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Where an `api` key is to work. Without it, in the default workspace.',
      }),
    ),
    ...unlimited,
    external: Type.Optional(unsupportedField(null, 'external users')),
  },
  { additionalProperties: false },
);

export const keyEditSchema = Type.Object(
  {
    name: Type.Optional(keyName),
    disabled: Type.Optional(Type.Boolean({ description: 'A disabled key is refused until it is enabled.' })),
    expires_at: Type.Optional(nullable(expiry)),
    workspace_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Moves the key to this workspace. It keeps its secret; the presets of its old workspace stay there. ' +
          'The owner must belong to the workspace; an org:admin is added to it.',
      }),
    ),
    ...unlimited,
  },
  { additionalProperties: false, minProperties: 1 },
);

/** Its whole may be left out. */
const rotationSchema = Type.Object(
  {
    grace_period_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: graceSecondsMax,
        description: `How long the older secret still works. Default ${graceSecondsDefault}; 0 stops it at once.`,
      }),
    ),
  },
  { additionalProperties: false, type: ['object', 'null'] },
);

const listQuery = Type.Object({
  include_disabled: Type.Optional(Type.Boolean({ description: 'List disabled keys, too. Default false.' })),
  offset: offsetQuery,
  workspace_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Without it, the default workspace and the management keys.',
    }),
  ),
});

const params = Type.Object({
  hash: Type.String({
    description:
      'The `hash` of a key. Its label works too, unless another key has the same (409), and so does the SHA-256 of one of its secrets in hexadecimal.',
  }),
});

const one = { type: 'object', required: ['data'], properties: { data: { $ref: 'Key#' } } };

const secretOnce = {
  type: 'object',
  required: ['data', 'key'],
  properties: {
    data: { $ref: 'Key#' },
    key: { type: 'string', description: 'The secret. No other answer contains it.' },
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
  description: `Newest first, ${keysPerPage} at a time.`,
  querystring: listQuery,
  response: {
    200: {
      description: 'A page of keys. Past the end it is empty.',
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
  summary: 'Make a key',
  description: 'For yourself; an org:admin can make keys for others, too.',
  body: { $ref: 'NewKey#' },
  response: {
    201: { description: 'The key and, this once, its secret.', ...secretOnce },
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
  summary: 'Rename, disable, enable or move a key, or change when it expires',
  description: 'What is not given stays as it is. Every process of presetd heeds the change within a second.',
  params,
  body: { $ref: 'KeyEdit#' },
  response: { 200: { description: 'The key after the change.', ...one }, ...writeErrors },
};

const deleteSchema = {
  operationId: 'deleteKey',
  tags: ['Keys'],
  summary: 'Delete a key',
  description: 'Every process of presetd refuses it within a second.',
  params,
  response: { 200: deletedResponse, ...writeErrors },
};

const rotateSchema = {
  operationId: 'rotateKey',
  tags: ['Keys'],
  summary: 'Give a key a new secret',
  description:
    'The older one keeps working for a while, so that nobody is cut off. The body may be left out.',
  params,
  body: rotationSchema,
  response: {
    200: { description: 'The key and, this once, its new secret.', ...secretOnce },
    ...writeErrors,
  },
};
