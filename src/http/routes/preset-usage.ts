import type { FastifyInstance } from 'fastify';
import { presetUsageOperations } from '../../api/preset-usage.ts';
import type { createLastCallReader } from '../../core/presets/last-call.ts';
import { serveOperations } from '../serve-operations.ts';
import { presetRequestOf } from './preset-request.ts';

export function presetUsageRoutes(
  scope: FastifyInstance,
  readLastCall: ReturnType<typeof createLastCallReader>,
): void {
  serveOperations(scope, presetUsageOperations, {
    'GET /presets/:slug/usage': async (request) => {
      const { lastCalledAt } = await readLastCall(presetRequestOf(request));
      return { data: { last_called_at: lastCalledAt } };
    },
  });
}
