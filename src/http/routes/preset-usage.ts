import type { FastifyInstance } from 'fastify';
import { presetUsageOperations } from '../../api/preset-usage.ts';
import type { createPresetUsageReader } from '../../core/presets/preset-usage.ts';
import { serveOperations } from '../serve-operations.ts';
import { presetRequestOf } from './preset-request.ts';

export function presetUsageRoutes(
  scope: FastifyInstance,
  readUsage: ReturnType<typeof createPresetUsageReader>,
): void {
  serveOperations(scope, presetUsageOperations, {
    'GET /presets/:slug/usage': async (request) => {
      const { lastCalledAt } = await readUsage(presetRequestOf(request));
      return { data: { last_called_at: lastCalledAt } };
    },
  });
}
