import type { FastifyInstance } from 'fastify';
import { healthOperations } from '../../api/health.ts';
import type { Storage } from '../../core/storage.ts';
import { serveOperations } from '../serve-operations.ts';

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
