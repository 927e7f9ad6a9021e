import type { FastifyInstance } from 'fastify';

/** The routes of the server, by which a wrong method is told from an unknown path. */
export interface RouteTable {
  /** The methods that some route supports at this path, in alphabetical order; empty where nothing is. */
  methodsAt(path: string): readonly string[];
}

/** Collects every route that is registered from now on. */
export function collectRoutes(app: FastifyInstance): RouteTable {
  const methodsOf = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = methodsOf.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    methodsOf.set(url, route);
    for (const name of [method].flat()) route.methods.add(name);
  });
  return {
    methodsAt(path) {
      const decoded = decode(path);
      const found = [...methodsOf.values()].filter(({ pattern }) => pattern.test(decoded));
      return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted();
    },
  };
}

/** Parameters and wildcards are all that our routes have; a slash at the end makes no difference. */
function patternOf(url: string): RegExp {
  const source = url
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replaceAll('*', '.*');
  return new RegExp(`^${source}/?$`, 's');
}

/** As the router does: an escaped slash is no separator. */
function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
