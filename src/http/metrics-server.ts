import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { findAmbiguity } from './ambiguous-request.ts';
import { handleClientError } from './client-error.ts';
import { noSniff } from './common-headers.ts';
import { endConnection } from './end-connection.ts';
import { createHttpServer } from './http-server.ts';
import type { MetricsPage } from './routes/metrics.ts';

export interface MetricsServer {
  readonly address: AddressInfo;
  stop(): Promise<void>;
}

/** The metrics on a port of their own, which has nothing else and asks nobody who they are. */
export async function startMetricsServer(
  page: MetricsPage,
  place: { readonly host: string; readonly port: number; readonly reusePort?: boolean },
  clientTimeoutMs: number,
): Promise<MetricsServer> {
  const server = createHttpServer(clientTimeoutMs, (request, response) => {
    const ambiguity = findAmbiguity(request);
    // Nobody has a reason to send a body here; it is not read.
    if (ambiguity !== undefined) {
      endConnection(response);
      respond(response, 400, `${ambiguity}\n`);
    } else if (mayBeDnsRebinding(request.headers)) respond(response, 403, onlyByAddress);
    else if (request.url?.split('?', 1)[0] !== '/metrics')
      respond(response, 404, 'There is only /metrics here.\n');
    else if (request.method !== 'GET') respond(response, 405, 'Only GET is possible.\n', { allow: 'GET' });
    else {
      page.text().then(
        (text) => respond(response, 200, text, { 'content-type': page.contentType }),
        (error: unknown) => respond(response, 500, `The metrics cannot be told: ${error}\n`),
      );
    }
  });
  server.on('clientError', handleClientError);
  server.listen(place);
  await once(server, 'listening');
  return {
    address: server.address() as AddressInfo,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      // A scrape can be asked for again; it must not hold up the end of the process.
      server.closeAllConnections();
      await closed;
    },
  };
}

const onlyByAddress =
  'Browsers get the metrics only where they name the server by its address, such as 127.0.0.1: a name may be that of a foreign page.\n';

/**
 * Whoever owns a name can have it lead here, and then a page of theirs may read what comes back. By plain HTTP browsers tell nothing
 * of where a request comes from, but no page can hide both of these marks of a browser.
 */
function mayBeDnsRebinding(headers: IncomingHttpHeaders): boolean {
  const isBrowser =
    headers['accept-language'] !== undefined || headers['user-agent']?.startsWith('Mozilla/') === true;
  if (!isBrowser) return false;
  const name = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  return name !== 'localhost' && isIP(name.replace(/^\[(.*)\]$/, '$1')) === 0;
}

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
