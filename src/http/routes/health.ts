import type { FastifyInstance } from 'fastify';
import { errorResponses } from '../../api/errors.ts';
import type { Storage } from '../../core/storage.ts';

const healthy = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['ok'] } },
};

/**
 * For orchestrators: restart the process if `/healthz` fails, send no traffic if `/readyz` fails.
 */
export function healthRoutes(app: FastifyInstance, storage: Storage): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'healthz',
        tags: ['Operation'],
        security: [],
        summary: 'Liveness: the process is running',
        response: { 200: { description: 'The process is running.', ...healthy } },
      },
    },
    async () => ({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'readyz',
        tags: ['Operation'],
        security: [],
        summary: 'Readiness: the database is reachable',
        response: { 200: { description: 'The database is reachable.', ...healthy }, ...errorResponses(503) },
      },
    },
    async () => {
      // Throws the storage's own error, which becomes a 503 with Retry-After.
      await storage.ping();
      return { status: 'ok' };
    },
  );
}
