import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { sendError } from './error-response.ts';

/**
 * Rejects requests that match no route: 405 if the path exists for other methods, otherwise 404.
 * Must be called before routes are registered, because it collects them. `sendNotFoundPage` may
 * respond to browsers instead, and returns whether it did.
 */
export function rejectUnknownRoutes(
  app: FastifyInstance,
  sendNotFoundPage: ((request: FastifyRequest, reply: FastifyReply) => boolean) | undefined,
): void {
  const methodsAt = collectMethods(app);
  // Not in the not-found handler: that runs after the body is read, which anyone could make large.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    if (!sendNotFoundPage?.(request, reply)) done(unknownRouteError(request, methodsAt));
  });
  // For routes that find nothing themselves, such as those of static files.
  app.setNotFoundHandler((request, reply) =>
    sendError(unknownRouteError(request, methodsAt), request, reply),
  );
}

/** The methods that routes support at this path, sorted; empty for an unknown path. */
type MethodsAt = (path: string) => readonly string[];

function unknownRouteError({ method, url }: FastifyRequest, methodsAt: MethodsAt): PresetdError {
  const path = url.split('?', 1)[0] ?? '';
  const hint = baseUrlHint(path, methodsAt);
  const allow = methodsAt(path);
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
 * Suggests a base URL if the path looks like a call with a wrong one, and otherwise returns
 * undefined. Setting the base URL of an SDK is where most users go wrong first.
 */
function baseUrlHint(path: string, methodsAt: MethodsAt): string | undefined {
  const rest = path.replace(/^(?:\/(?:api|v1)(?=\/|$))+/, '');
  const called = dialects.find((dialect) => rest.endsWith(dialectOf[dialect].request.path));
  // Captures have the same last segments as calls, below a preset.
  const isCapture = rest.startsWith('/presets/');
  const isRight = path === `/api/v1${rest}`;
  if (called !== undefined && !isCapture && !(isRight && rest === dialectOf[called].request.path))
    return hintOf(called);
  if (isRight) return undefined;
  const isApi = methodsAt(`/api/v1${rest}`).length > 0;
  if (isApi && rest.length > 1) return `Use /api/v1${rest}: ${ending}`;
  return /^\/(?:api|v1|models)(?:\/|$)/.test(path) ? `The API is at /api/v1: ${ending}` : undefined;
}

const ending = 'the base URL of your client must end in /api/v1.';

/** The hint for a model call that went to the wrong path. */
function hintOf(dialect: Dialect): string {
  const { path, baseUrlHint = '/api/v1.' } = dialectOf[dialect].request;
  return `Use POST /api/v1${path}: the base URL of your client must end in ${baseUrlHint}`;
}

/** Collects every route registered after this call. */
function collectMethods(app: FastifyInstance): MethodsAt {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    routes.set(url, route);
    for (const name of [method].flat()) route.methods.add(name);
  });
  // Linear, which is fine: it runs only for requests that matched no route.
  return (path) => {
    const decoded = decode(path);
    const found = [...routes.values()].filter(({ pattern }) => pattern.test(decoded));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted();
  };
}

/** Our routes use only parameters and wildcards; a trailing slash is ignored. */
function patternOf(url: string): RegExp {
  const source = url
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replaceAll('*', '.*');
  return new RegExp(`^${source}/?$`, 's');
}

/** Decodes like the router: an escaped slash does not separate segments. */
function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
