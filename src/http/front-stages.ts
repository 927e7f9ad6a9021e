import type { IncomingMessage, ServerResponse } from 'node:http';
import { createPresetReader, type PresetReader } from '../core/presets/read-presets.ts';
import type { AppOptions } from './app-options.ts';
import { createFastPath } from './fast-path.ts';
import { ConnectionMemory } from './overload/connection-memory.ts';
import { limitFailedAttempts } from './overload/failed-authentications.ts';
import { createLoadShedder, type LoadShedder } from './overload/load-shedding.ts';
import { RateLimit } from './overload/rate-limit.ts';
import { rejectAmbiguousRequest } from './protocol/ambiguous-request.ts';
import { type ClientAddress, createClientAddress } from './protocol/client-address.ts';
import { createCors } from './protocol/cors.ts';
import type { UpgradeHandler } from './protocol/http-server.ts';
import { secretHashOf } from './request-key.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import { type CallServer, createCallServer } from './serve-call.ts';
import { acceptResponsesSockets } from './websocket/accept-responses-socket.ts';
import { HistoryMemory } from './websocket/responses-socket.ts';

/** The stages that a request passes before the framework, and what the routes share with them. */
export interface FrontStages {
  readonly address: ClientAddress;
  readonly calls: CallServer;
  readonly connectionMemory: ConnectionMemory;
  readonly loadShedder: LoadShedder;
  readonly logRequest: RequestLog;
  readonly presetReader: PresetReader;
  readonly rateLimit: RateLimit;
  readonly sockets: UpgradeHandler;
  /** Serves a request, or calls `passOn`. */
  serve(request: IncomingMessage, response: ServerResponse, passOn: () => void): void;
}

export function createFrontStages(options: AppOptions): FrontStages {
  const { authenticator, metrics, failures, logger, closing, bodyBytesMax } = options;
  const logRequest = createRequestLog(logger, metrics);
  const connectionMemory = new ConnectionMemory(bodyBytesMax);
  const cors = createCors(options.corsOrigins, logRequest);
  const shared = {
    address: createClientAddress(options.trustedProxies),
    calls: createCallServer(options, authenticator, metrics, logger),
    connectionMemory,
    loadShedder: createLoadShedder(options.requestsInFlightMax, connectionMemory, metrics, logger),
    logRequest,
    presetReader: createPresetReader(options.presetCache),
    rateLimit: new RateLimit(options.rateLimitPerMinute, options.countRequest),
  };
  const takeFastPath = createFastPath({
    ...shared,
    authenticator,
    failures,
    bodyBytesMax,
    isClosing: () => closing.aborted,
  });
  const { loadShedder } = shared;
  return {
    ...shared,
    sockets: createSockets(options, shared),
    serve(request, response, passOn) {
      connectionMemory.trackResponse(response);
      // The fast path and the framework both honor this flag.
      if (closing.aborted) response.shouldKeepAlive = false;
      // Before anything that responds, so that a page can read every error.
      cors?.addHeaders(request, response);
      if (rejectAmbiguousRequest(request, response, logRequest, logger)) return;
      if (cors?.respondToPreflight(request, response)) return;
      if (loadShedder.shed(request, response)) return;
      takeFastPath(request, response, passOn);
    },
  };
}

/** Each request over a WebSocket is admitted as a request of its own would be. */
function createSockets(
  { authenticator, failures, logger, closing, bodyBytesMax }: AppOptions,
  {
    address,
    calls,
    connectionMemory,
    loadShedder,
    logRequest,
    rateLimit,
  }: Omit<FrontStages, 'sockets' | 'serve'>,
): UpgradeHandler {
  return acceptResponsesSockets({
    calls,
    async admit(request) {
      loadShedder.assertCapacity();
      const authenticate = () => authenticator.authenticate(secretHashOf(request.socket, request.headers));
      const ip = address.of(request);
      const { id } = await limitFailedAttempts(failures, { ip }, authenticate);
      // A new object each time: every request of a connection counts.
      await rateLimit.assertWithinLimit({}, id);
      // The key may have been revoked while the supervisor was counting.
      return limitFailedAttempts(failures, { ip }, authenticate);
    },
    logRequest,
    log: logger,
    bodyBytesMax,
    closing,
    memory: new HistoryMemory(16 * bodyBytesMax),
    trackMemory: (connection, heldBytes) => connectionMemory.trackUpgraded(connection, heldBytes),
  });
}
