import type { FastifyInstance } from 'fastify';

/**
 * Some clients probe their base URL before the first call: Claude Code sends `HEAD /api`. No key
 * is required, so that a probe works without one.
 */
export function apiRootRoutes(app: FastifyInstance): void {
  for (const path of ['/api', '/api/v1'])
    app.get(path, { schema: { hide: true } }, async () => ({
      name: 'presetd',
      docs: '/docs',
      openapi: '/openapi.json',
    }));
}
