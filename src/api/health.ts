import { Type } from '../core/type.ts';
import { operations } from './operation.ts';

/**
 * For orchestrators: restart the process if `/healthz` fails, send no traffic if `/readyz` fails.
 * These paths are not below `/api/v1`.
 */

const body = Type.Object({ status: Type.Unsafe<'ok'>({ type: 'string', enum: ['ok'] }) });
const tag = 'Operation';
const access = 'public';

export const healthOperations = operations({
  'GET /healthz': {
    id: 'healthz',
    tag,
    access,
    summary: 'Liveness: the process is running',
    response: { description: 'The process is running.', body },
  },
  'GET /readyz': {
    id: 'readyz',
    tag,
    access,
    summary: 'Readiness: the database is reachable',
    response: { description: 'The database is reachable.', body },
    errors: [503],
  },
});
