import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { PresetRequest } from '../../core/organization/workspace-access.ts';
import type { ChangeRequest } from '../../core/presets/change-preset.ts';
import { slugPattern } from '../../core/presets/preset.ts';
import { callerOf } from '../authentication.ts';
import { preconditionOf } from '../protocol/conditional.ts';

/** The pattern is for the API reference; the core validates slugs and explains the rule. */
export const slugParam = {
  slug: Type.String({
    pattern: slugPattern,
    description: '1 to 128 characters of `A-Z a-z 0-9 - . _ ~`, case-sensitive; not `.` or `..`.',
  }),
};

export const slugParams = Type.Object(slugParam);

/** API keys belong to one workspace; they may name it, but no other. */
export const workspaceQuery = Type.Object({
  workspace_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'For a management key: the workspace to use. Default: the default workspace.',
    }),
  ),
});

/** The parts that every route below `/presets/:slug` has. */
export interface PresetRoute {
  readonly Params: { readonly slug: string };
  readonly Querystring: { readonly workspace_id?: string };
}

type RequestForPreset = FastifyRequest<{
  Params: PresetRoute['Params'];
  Querystring: PresetRoute['Querystring'];
}>;

/** Who wants to read which preset. */
export function presetRequestOf(request: RequestForPreset): PresetRequest {
  return { caller: callerOf(request), slug: request.params.slug, workspaceId: request.query.workspace_id };
}

/**
 * Who wants to change which preset, and under which precondition. Throws if a header is malformed.
 */
export function changeRequestOf(request: RequestForPreset): ChangeRequest {
  return { ...presetRequestOf(request), precondition: preconditionOf(request.headers) };
}
