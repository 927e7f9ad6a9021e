import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import type { FailedAuthentications } from '../failed-authentications.ts';
import { limitFailedAttempts } from '../rate-limit.ts';

/** Everything that was measured, in the form of Prometheus. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Beside the API, the metrics are only for those who know the token; keys of the API do not open them. */
export function metricsRoutes(
  app: FastifyInstance,
  page: MetricsPage,
  token: string | undefined,
  hasOwnPort: boolean,
  failures: FailedAuthentications,
): void {
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (token === undefined) throw notServed(hasOwnPort);
    limitFailedAttempts(failures, request, () => assertToken(request.headers.authorization, token));
    return reply.type(page.contentType).send(await page.text());
  });
}

function notServed(hasOwnPort: boolean): PresetdError {
  const withToken = 'Set PRESETD_METRICS_TOKEN to serve them here to whoever sends it as a bearer token';
  return new PresetdError(
    'not_found',
    hasOwnPort
      ? `Metrics are not served here. They are at the port of their own that PRESETD_METRICS_PORT gives them. ${withToken}, too.`
      : `Metrics are not served here. ${withToken}, or PRESETD_METRICS_PORT to serve them on a port of their own.`,
  );
}

function assertToken(authorization: string | undefined, token: string): void {
  const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (sent !== undefined && timingSafeEqual(digest(sent), digest(token))) return;
  throw new PresetdError(
    'unauthenticated',
    'Metrics need the token that PRESETD_METRICS_TOKEN is set to. Send it as "Authorization: Bearer <token>".',
  );
}

/** Of one length for all, which the comparison wants. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
