import type { FastifyRequest } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import { type Dialect, dialects } from '../core/preset.ts';
import { dialectOf } from '../dialects/dialects.ts';

export function unknownRoute({ method, url }: FastifyRequest): PresetdError {
  const path = url.split('?', 1)[0] ?? '';
  const called = path.includes('/presets/')
    ? undefined
    : dialects.find((dialect) => path.endsWith(dialectOf[dialect].path));
  const advice = called === undefined ? 'See /docs.' : wayOf(called);
  return new PresetdError('not_found', `There is no route ${method} ${path}. ${advice}`);
}

/** The address that SDKs are given is the first thing to go wrong. */
function wayOf(dialect: Dialect): string {
  const base =
    dialect === 'messages'
      ? `/api for Anthropic's SDK, which adds /v1 by itself, and with /api/v1 for others`
      : '/api/v1';
  return `Calls go to POST /api/v1${dialectOf[dialect].path}: end the base URL of your client with ${base}.`;
}
