import type { FastifyInstance } from 'fastify';
import { healthOperations } from '../../api/health.ts';
import type { Storage } from '../../core/storage.ts';
import { serveOperations } from '../serve-operations.ts';

/** For orchestrators: whether the process runs, and whether it can reach its database. */
export function healthRoutes(app: FastifyInstance, storage: Storage): void {
  serveOperations(app, healthOperations, {
    'GET /healthz': async () => ok,
    'GET /readyz': async () => {
      // Throws the storage's own error, which becomes a 503 with Retry-After.
      await storage.ping();
      return ok;
    },
  });
}

const ok = { status: 'ok' } as const;

/**
 * Some clients probe their base URL before the first call: Claude Code sends `HEAD /api`. No key
 * is required, so that a probe works without one.
 */
export function apiRootRoutes(app: FastifyInstance): void {
  for (const path of ['/api', '/api/v1'])
    app.get(path, async () => ({
      name: 'presetd',
      docs: '/docs',
      openapi: '/openapi.json',
    }));
}
