import type { FastifyRequest } from 'fastify';
import type { ChangeRequest } from '../../core/presets/change-preset.ts';
import type { PresetRequest } from '../../core/presets/preset-access.ts';
import { callerOf } from '../authentication.ts';
import { preconditionOf } from '../protocol/conditional.ts';

/** Any request to a path below `/presets/:slug`. */
type RequestForPreset = FastifyRequest & {
  readonly params: { readonly slug: string };
  readonly query: { readonly workspace_id?: string };
};

/** The caller and the preset of a read. */
export function presetRequestOf(request: RequestForPreset): PresetRequest {
  return { caller: callerOf(request), slug: request.params.slug, workspaceId: request.query.workspace_id };
}

/**
 * The caller, the preset and the precondition of a change. Throws if a header is malformed.
 */
export function changeRequestOf(request: RequestForPreset): ChangeRequest {
  return { ...presetRequestOf(request), precondition: preconditionOf(request.headers) };
}
