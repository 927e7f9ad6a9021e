import type { FastifyInstance } from 'fastify';

/** Clients check that the base URL they were given answers, as Claude Code does by `HEAD /api`. */
export function apiRootRoutes(app: FastifyInstance): void {
  for (const path of ['/api', '/api/v1'])
    app.get(path, { schema: { hide: true } }, async () => ({
      name: 'presetd',
      docs: '/docs',
      openapi: '/openapi.json',
    }));
}
