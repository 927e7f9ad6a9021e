import type { FastifyRequest } from 'fastify';
import type { PresetRequest } from '../../core/organization/workspace-access.ts';
import type { ChangeRequest } from '../../core/presets/change-preset.ts';
import { callerOf } from '../authentication.ts';
import { preconditionOf } from '../protocol/conditional.ts';

/** Any request to a path below `/presets/:slug`. */
type RequestForPreset = FastifyRequest & {
  readonly params: { readonly slug: string };
  readonly query: { readonly workspace_id?: string };
};

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
