import type { FastifyInstance } from 'fastify';
import type { Storage } from '../../core/storage.ts';
import { errorResponses } from '../error-schema.ts';

const healthy = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['ok'] } },
};

export function healthRoutes(app: FastifyInstance, storage: Storage): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'healthz',
        tags: ['Operation'],
        security: [],
        summary: 'Whether the process runs',
        response: { 200: { description: 'It does.', ...healthy } },
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
        summary: 'Whether the database answers',
        response: { 200: { description: 'It does.', ...healthy }, ...errorResponses(503) },
      },
    },
    async () => {
      await storage.ping();
      return { status: 'ok' };
    },
  );
}
