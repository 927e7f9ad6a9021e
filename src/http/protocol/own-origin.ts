import type { FastifyRequest } from 'fastify';

/**
 * The origin of this server in the browser: as configured, or else as the client addressed it,
 * which is good enough for links, since they are returned only to the client itself.
 *
 * presetd has no TLS, so without the setting the scheme is `https` only if a trusted proxy says so
 * in `X-Forwarded-Proto`. A page of the same host with another scheme is not ours: another program
 * may serve it.
 */
export function ownOrigin({ protocol, host }: FastifyRequest, publicUrl: URL | undefined): string {
  return publicUrl?.origin ?? `${protocol}://${host}`;
}

/** Whether an `Origin` header names this server. False if it is missing or malformed. */
export function isOwnOrigin(
  origin: string | undefined,
  request: FastifyRequest,
  publicUrl: URL | undefined,
): boolean {
  const sent = URL.parse(origin ?? '')?.origin;
  // Parsed, because a proxy may add the default port to the host.
  return sent !== undefined && sent === URL.parse(ownOrigin(request, publicUrl))?.origin;
}
