import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import type { Provisioning } from '../../core/provisioning/provisioning.ts';
import { resourceTypes, schemas, serviceProviderConfig } from '../../scim/discovery.ts';
import { fromGroupResource, groupLookupOf, toGroupResource } from '../../scim/group-resource.ts';
import { listResponse } from '../../scim/list.ts';
import { readMemberChanges } from '../../scim/patch-members.ts';
import { groupSchema, userSchema } from '../../scim/schema.ts';
import { fromUserResource, toUserResource, userLookupOf } from '../../scim/user-resource.ts';
import { hasToken } from '../bearer-token.ts';
import { listBodyLimit, parseAsJson, smallBodyLimit } from '../body/request-body.ts';
import { type FailedAuthentications, limitFailedAttempts } from '../overload/failed-authentications.ts';
import { ownOrigin } from '../protocol/own-origin.ts';
import { resourceRoutes, sendScim } from './resource-routes.ts';

/**
 * Makes every route of this scope require a SCIM token, before the body is read. Keys do not give
 * access. Without a token in the settings, SCIM does not exist.
 */
export function requireScimToken(
  scope: FastifyInstance,
  tokens: readonly string[],
  failures: FailedAuthentications,
): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    try {
      if (tokens.length === 0)
        throw new PresetdError('not_found', 'SCIM is off. Set PRESETD_SCIM_TOKEN to enable it.');
      limitFailedAttempts(failures, request, () => assertToken(request.headers.authorization, tokens));
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** SCIM 2.0 (RFC 7643 and 7644). Its errors get their format in `error-response.ts`. */
export function scimRoutes(
  scope: FastifyInstance,
  provisioning: Provisioning,
  publicUrl: URL | undefined,
): void {
  const baseOf = (request: FastifyRequest) => `${ownOrigin(request, publicUrl)}/scim/v2`;
  parseAsJson(scope, 'application/scim+json');

  scope.get('/ServiceProviderConfig', async (request, reply) =>
    sendScim(reply, serviceProviderConfig(baseOf(request))),
  );
  for (const [path, documents] of [
    ['ResourceTypes', resourceTypes],
    ['Schemas', schemas],
  ] as const) {
    scope.get(`/${path}`, async (request, reply) => {
      // RFC 7644, section 4: these lists cannot be filtered.
      if ((request.query as { filter?: string }).filter !== undefined)
        throw new PresetdError('forbidden', `${path} cannot be filtered.`);
      const all = documents(baseOf(request));
      return sendScim(reply, listResponse(all, all.length, { offset: 0, limit: all.length }));
    });
    scope.get<{ Params: { id: string } }>(`/${path}/:id`, async (request, reply) => {
      const found = documents(baseOf(request)).find(({ id }) => id === request.params.id);
      if (found === undefined)
        throw new PresetdError('not_found', `There is nothing called ${request.params.id} in ${path}.`);
      return sendScim(reply, found);
    });
  }

  resourceRoutes(scope, '/Users', {
    schema: userSchema,
    bodyLimit: smallBodyLimit(scope),
    baseOf,
    toResource: toUserResource,
    fromResource: fromUserResource,
    find: async (equality) => {
      const lookup = userLookupOf(equality);
      return lookup && provisioning.findUsers(lookup);
    },
    async list(page) {
      const { users, totalCount } = await provisioning.listUsers(page);
      return { items: users, totalCount };
    },
    get: provisioning.getUser.bind(provisioning),
    create: provisioning.createUser,
    change: provisioning.changeUser,
    remove: provisioning.removeUser,
  });
  resourceRoutes(scope, '/Groups', {
    schema: groupSchema,
    bodyLimit: listBodyLimit(scope),
    baseOf,
    toResource: toGroupResource,
    fromResource: fromGroupResource,
    find: async (equality, isWanted) => {
      const lookup = groupLookupOf(equality);
      return lookup && provisioning.findGroups(lookup, isWanted('members'));
    },
    async list(page, isWanted) {
      const { groups, totalCount } = await provisioning.listGroups(page, isWanted('members'));
      return { items: groups, totalCount };
    },
    get: (id, isWanted) => provisioning.getGroup(id, isWanted('members')),
    create: provisioning.createGroup,
    change: provisioning.changeGroup,
    async patchUnread(id, body) {
      const changes = readMemberChanges(body);
      if (changes !== undefined) await provisioning.changeGroupMembers(id, changes);
      return changes !== undefined;
    },
    remove: provisioning.removeGroup,
  });

  // RFC 7644 wants 501 for these, so that clients do not take them for a wrong URL.
  for (const url of ['/Me', '/Bulk', '/.search', '/Users/.search', '/Groups/.search'])
    scope.all(url, async (_request, reply) =>
      sendScim(reply.code(501), {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '501',
        detail: `${url} is not supported.`,
      }),
    );
}

function assertToken(authorization: string | undefined, tokens: readonly string[]): void {
  if (hasToken(authorization, tokens)) return;
  throw new PresetdError(
    'unauthenticated',
    'SCIM requires the value of PRESETD_SCIM_TOKEN. Send it as "Authorization: Bearer <token>".',
  );
}
