import type { FastifyInstance } from 'fastify';

/** All registered routes, to distinguish a wrong method (405) from an unknown path (404). */
export interface RouteTable {
  /** The methods that routes support at this path, sorted; empty for an unknown path. */
  methodsAt(path: string): readonly string[];
}

/** Collects every route registered after this call. */
export function collectRoutes(app: FastifyInstance): RouteTable {
  const methodsOf = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = methodsOf.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    methodsOf.set(url, route);
    for (const name of [method].flat()) route.methods.add(name);
  });
  return {
    // Linear, which is fine: it runs only for requests that matched no route.
    methodsAt(path) {
      const decoded = decode(path);
      const found = [...methodsOf.values()].filter(({ pattern }) => pattern.test(decoded));
      return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted();
    },
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
