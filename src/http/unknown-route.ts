import type { FastifyRequest } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import { type Dialect, dialects } from '../core/preset.ts';
import { dialectOf } from '../dialects/dialects.ts';
import type { RouteTable } from './route-table.ts';

/** 405 where the path is known for other methods, else 404; both explain a base URL that is wrong. */
export function unknownRouteError({ method, url }: FastifyRequest, routes: RouteTable): PresetdError {
  const path = url.split('?', 1)[0] ?? '';
  const hint = baseUrlHint(path, routes);
  const allow = routes.methodsAt(path);
  // A route may itself find nothing, as that of the files does.
  if (allow.length > 0 && !allow.includes(method))
    return new PresetdError(
      'method_not_allowed',
      [`${path} does not support ${method}. Use ${allow.join(', ')}.`, hint].filter(Boolean).join(' '),
      { allow },
    );
  return new PresetdError('not_found', `There is no route ${method} ${path}. ${hint ?? 'See /docs.'}`);
}

/** The base URL that an SDK is given is the first thing to go wrong. */
function baseUrlHint(path: string, routes: RouteTable): string | undefined {
  const rest = path.replace(/^(?:\/(?:api|v1)(?=\/|$))+/, '');
  const called = dialects.find((dialect) => rest.endsWith(dialectOf[dialect].path));
  const isCaptured = rest.startsWith('/presets/');
  const isRight = path === `/api/v1${rest}`;
  if (called !== undefined && !isCaptured && !(isRight && rest === dialectOf[called].path))
    return hintOf(called);
  if (isRight) return undefined;
  const isApi = routes.methodsAt(`/api/v1${rest}`).length > 0;
  if (isApi && rest.length > 1) return `Calls go to /api/v1${rest}: ${ending}`;
  return /^\/(?:api|v1|models)(?:\/|$)/.test(path) ? `The API is at /api/v1: ${ending}` : undefined;
}

const ending = 'end the base URL of your client with /api/v1.';

function hintOf(dialect: Dialect): string {
  const base =
    dialect === 'messages'
      ? `end the base URL of your client with /api for Anthropic's SDK, which adds /v1 by itself, and with /api/v1 for others.`
      : ending;
  return `Calls go to POST /api/v1${dialectOf[dialect].path}: ${base}`;
}
