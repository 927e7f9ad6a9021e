import type { FastifyInstance } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import { hasToken } from '../bearer-token.ts';
import { type FailedAuthentications, limitFailedAttempts } from '../overload/failed-authentications.ts';

/** All metrics in Prometheus text format. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Metrics on the API's port, protected by a token of their own: API keys do not give access. Wrong
 * tokens count as failed authentications. Without a token the route explains how to enable it.
 */
export function metricsRoutes(
  app: FastifyInstance,
  page: MetricsPage,
  token: string | undefined,
  hasSeparatePort: boolean,
  failures: FailedAuthentications,
): void {
  app.get('/metrics', async (request, reply) => {
    if (token === undefined) throw notServed(hasSeparatePort);
    limitFailedAttempts(failures, request, () => assertToken(request.headers.authorization, token));
    return reply.type(page.contentType).send(await page.text());
  });
}

/** 404 rather than 401, since no token could help. */
function notServed(hasSeparatePort: boolean): PresetdError {
  const withToken = 'PRESETD_METRICS_TOKEN to serve them here to clients that send it as a bearer token';
  return new PresetdError(
    'not_found',
    hasSeparatePort
      ? `Metrics are served on the port that PRESETD_METRICS_PORT names. Set ${withToken}, too.`
      : `Metrics are not enabled. Set ${withToken}, or PRESETD_METRICS_PORT to serve them on a separate port.`,
  );
}

function assertToken(authorization: string | undefined, token: string): void {
  if (hasToken(authorization, [token])) return;
  throw new PresetdError(
    'unauthenticated',
    'Metrics require the value of PRESETD_METRICS_TOKEN. Send it as "Authorization: Bearer <token>".',
  );
}
