import type { FastifyRequest } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import type { RouteTable } from './route-table.ts';

/** The error for an unmatched request: 405 if the path exists for other methods, otherwise 404. */
export function unknownRouteError({ method, url }: FastifyRequest, routes: RouteTable): PresetdError {
  const path = url.split('?', 1)[0] ?? '';
  const hint = baseUrlHint(path, routes);
  const allow = routes.methodsAt(path);
  // The method may be right: the route for static files calls this when a file is missing.
  if (allow.length > 0 && !allow.includes(method))
    return new PresetdError(
      'method_not_allowed',
      [`${path} does not support ${method}, only ${allow.join(', ')}.`, hint].filter(Boolean).join(' '),
      { allow },
    );
  return new PresetdError('not_found', `There is no route ${method} ${path}. ${hint ?? 'See /docs.'}`);
}

/**
 * What the client's base URL should be, if the path looks like a call with a wrong one; otherwise
 * undefined. Setting the base URL of an SDK is where most users go wrong first.
 */
function baseUrlHint(path: string, routes: RouteTable): string | undefined {
  const rest = path.replace(/^(?:\/(?:api|v1)(?=\/|$))+/, '');
  const called = dialects.find((dialect) => rest.endsWith(dialectOf[dialect].path));
  // Captures have the same last segments as calls, below a preset.
  const isCapture = rest.startsWith('/presets/');
  const isRight = path === `/api/v1${rest}`;
  if (called !== undefined && !isCapture && !(isRight && rest === dialectOf[called].path))
    return hintOf(called);
  if (isRight) return undefined;
  const isApi = routes.methodsAt(`/api/v1${rest}`).length > 0;
  if (isApi && rest.length > 1) return `Use /api/v1${rest}: ${ending}`;
  return /^\/(?:api|v1|models)(?:\/|$)/.test(path) ? `The API is at /api/v1: ${ending}` : undefined;
}

const ending = 'the base URL of your client must end in /api/v1.';

/** The hint for a model call that went to the wrong path. */
function hintOf(dialect: Dialect): string {
  const base =
    dialect === 'messages'
      ? `the base URL of your client must end in /api for Anthropic's SDK, which adds /v1 itself, and in /api/v1 for others.`
      : ending;
  return `Use POST /api/v1${dialectOf[dialect].path}: ${base}`;
}
