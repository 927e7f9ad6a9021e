import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { handleClientError } from './errors/client-error.ts';
import { findAmbiguity } from './protocol/ambiguous-request.ts';
import { noSniff } from './protocol/headers.ts';
import { createHttpServer, type HttpServerOptions } from './protocol/http-server.ts';
import type { MetricsPage } from './routes/metrics.ts';

export interface MetricsServer {
  readonly address: AddressInfo;
  stop(): Promise<void>;
}

/**
 * Serves the metrics on a separate port without authentication, for a network that only the
 * monitoring can reach. `stop` closes the port and drops all connections.
 */
export async function startMetricsServer(
  page: MetricsPage,
  endpoint: { readonly host: string; readonly port: number; readonly reusePort?: boolean },
  clientTimeoutMs: number,
): Promise<MetricsServer> {
  const serve: HttpServerOptions['serve'] = (request, response) => {
    // Bodies are not read here; a request with an ambiguous one ends the connection.
    const ambiguity = findAmbiguity(request);
    if (ambiguity !== undefined) {
      response.shouldKeepAlive = false;
      respond(response, 400, `${ambiguity}\n`);
    } else if (mayBeDnsRebinding(request.headers)) respond(response, 403, rebindingMessage);
    else if (request.url?.split('?', 1)[0] !== '/metrics')
      respond(response, 404, 'Not found. This port serves only /metrics.\n');
    else if (request.method !== 'GET')
      respond(response, 405, 'Method not allowed. Use GET.\n', { allow: 'GET' });
    else {
      page.text().then(
        (text) => respond(response, 200, text, { 'content-type': page.contentType }),
        (error: unknown) => respond(response, 500, `Could not collect metrics: ${error}\n`),
      );
    }
  };
  const server = createHttpServer({ clientTimeoutMs, serve });
  server.on('clientError', handleClientError);
  server.listen(endpoint);
  await once(server, 'listening');
  return {
    address: server.address() as AddressInfo,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      // A scrape can be repeated; it must not delay the shutdown.
      server.closeAllConnections();
      await closed;
    },
  };
}

const rebindingMessage =
  'Browsers can read the metrics only by IP address or localhost, because a host name may belong to a malicious site. Open this page by IP address, such as 127.0.0.1.\n';

/**
 * Whether a request may come from a DNS rebinding attack: the owner of a host name points it at
 * this server, and a page of theirs in a victim's browser then reads the metrics as its own origin.
 * Over plain HTTP browsers do not send where a request comes from, but no page can hide both
 * headers that give a browser away. An IP address or localhost cannot be rebound.
 */
function mayBeDnsRebinding(headers: IncomingHttpHeaders): boolean {
  const isBrowser =
    headers['accept-language'] !== undefined || headers['user-agent']?.startsWith('Mozilla/') === true;
  if (!isBrowser) return false;
  const name = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  return name !== 'localhost' && isIP(name.replace(/^\[(.*)\]$/, '$1')) === 0;
}

/** Plain text: this port has no API clients, only scrapers and people with a browser. */
function respond(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...noSniff,
    ...headers,
  });
  response.end(text);
}
