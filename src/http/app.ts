import { hash } from 'node:crypto';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Authenticator } from '../core/authenticate.ts';
import { createPresetChanger } from '../core/change-preset.ts';
import type { Clock } from '../core/clock.ts';
import { createKeys } from '../core/keys.ts';
import type { Measurements } from '../core/measurements.ts';
import { createMembers } from '../core/members.ts';
import type { PresetCache } from '../core/preset-cache.ts';
import { createPresetReader } from '../core/read-presets.ts';
import type { RequestCount } from '../core/request-counts.ts';
import type { Storage } from '../core/storage.ts';
import { createWorkspaces } from '../core/workspaces.ts';
import { describePreset } from '../gateway/call.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { ModelList } from '../gateway/models/model-list.ts';
import { rejectAmbiguousRequest } from './ambiguous-request.ts';
import { requireKey } from './authentication.ts';
import { createClientAddress } from './client-address.ts';
import { handleClientError } from './client-error.ts';
import { commonHeaders, requestIdOf } from './common-headers.ts';
import { ConnectionMemory } from './connection-memory.ts';
import { dropIdleOnShutdown, openConnections } from './connection-timeouts.ts';
import { createNotFoundPage, serveDashboard } from './dashboard.ts';
import { sendError } from './error-response.ts';
import { exampleRequests } from './example-requests.ts';
import type { FailedAuthentications } from './failed-authentications.ts';
import { createFastPath } from './fast-path.ts';
import { createCallFastRoute } from './fast-path-calls.ts';
import { createPresetFastRoute } from './fast-path-presets.ts';
import { createHttpServer } from './http-server.ts';
import { assertNotCompressed, parseJsonBody } from './json-body.ts';
import { isOptionalBody, type JsonSchema } from './json-schema.ts';
import { createLoadShedder, limitInFlight } from './load-shedding.ts';
import { serveOpenapi } from './openapi.ts';
import { OverloadDetector } from './overload-detector.ts';
import { checkQueryParameters } from './query-parameters.ts';
import { enforceRateLimit, RateLimit } from './rate-limit.ts';
import { createRequestLog, finalStatus, type RequestLog, unroutedPath } from './request-log.ts';
import { collectRoutes } from './route-table.ts';
import { apiRootRoutes } from './routes/api-root.ts';
import { auditRoutes } from './routes/audit.ts';
import { exportRoutes } from './routes/export.ts';
import { healthRoutes } from './routes/health.ts';
import { importRoutes } from './routes/import.ts';
import { inferenceRoutes } from './routes/inference.ts';
import { keyRoutes } from './routes/keys.ts';
import { type MetricsPage, metricsRoutes } from './routes/metrics.ts';
import { modelRoutes } from './routes/models.ts';
import { organizationMemberRoutes } from './routes/organization-members.ts';
import { presetCaptureRoutes } from './routes/preset-captures.ts';
import { presetEventRoutes } from './routes/preset-events.ts';
import { presetLabelRoutes } from './routes/preset-labels.ts';
import { presetVersionRoutes } from './routes/preset-versions.ts';
import { presetRoutes } from './routes/presets.ts';
import { workspaceMemberRoutes } from './routes/workspace-members.ts';
import { workspaceRoutes } from './routes/workspaces.ts';
import { createCallServer } from './serve-call.ts';
import { sharedSchemas } from './shared-schemas.ts';
import { unknownRouteError } from './unknown-route.ts';
import { createValidators, type Validators } from './validation.ts';

declare module 'fastify' {
  interface FastifyInstance {
    connectionMemory: ConnectionMemory;
  }
  interface FastifyRequest {
    /** The body with every number as it was written; see `json-body.ts`. */
    exactBody: unknown;
    /** Of the bytes that were sent, where they may be sent again; else empty. */
    bodyHash: string;
  }
}

export interface AppOptions {
  /** When no more connections are taken: from then on every answer is the last on its connection. */
  readonly closing: AbortSignal;
  readonly storage: Storage;
  readonly presetCache: PresetCache;
  readonly gateway: Gateway;
  readonly models: ModelList;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly bodyBytesMax: number;
  readonly inFlightRequestsMax: number;
  readonly clientTimeoutMs: number;
  readonly rateLimitPerMinute: number;
  /** Undefined where this process counts by itself. */
  readonly countRequest: ((keyId: string) => Promise<RequestCount>) | undefined;
  readonly failures: FailedAuthentications;
  /** Addresses and ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly version: string;
  /** Where the pages were built to; they may not be there. */
  readonly dashboardFolder: string;
  readonly metrics: Measurements;
  readonly metricsPage: MetricsPage;
  /** Undefined where the metrics are not served beside the API. */
  readonly metricsToken: string | undefined;
  /** Whether they have a port of their own. */
  readonly hasMetricsPort: boolean;
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { storage, presetCache, authenticator, clock, metrics, failures } = options;
  const presets = presetCache.store;
  const presetReader = createPresetReader(presetCache);
  const presetChanger = createPresetChanger(presets, clock);
  const writeLine = createRequestLog(options.logger);
  const logRequest: RequestLog = (request) => {
    metrics.httpRequest(request);
    writeLine(request);
  };
  const calls = createCallServer(options.gateway, metrics, options.logger);
  const address = createClientAddress(options.trustedProxies);
  const rateLimit = new RateLimit(options.rateLimitPerMinute, options.countRequest);
  const takeFastPath = createFastPath({
    routes: [
      createPresetFastRoute(presetReader, logRequest),
      createCallFastRoute({
        authenticator,
        address,
        failures,
        calls,
        logRequest,
        bodyBytesMax: options.bodyBytesMax,
        isClosing: () => options.closing.aborted,
      }),
    ],
    authenticator,
    address,
    failures,
    rateLimit,
  });
  const overload = new OverloadDetector({ inFlightMax: options.inFlightRequestsMax });
  const connectionMemory = new ConnectionMemory(options.bodyBytesMax);
  const shedding = createLoadShedder({ overload, connectionMemory }, metrics, options.logger);
  const app = fastify({
    serverFactory: (handler) =>
      createHttpServer(options.clientTimeoutMs, (request, response) => {
        connectionMemory.trackRequest(request);
        if (options.closing.aborted) response.shouldKeepAlive = false;
        if (rejectAmbiguousRequest(request, response, logRequest, options.logger)) return;
        if (shedding.shed(request, response)) return;
        takeFastPath(request, response, () => handler(request, response));
      }),
    loggerInstance: withoutChildLoggers(options.logger),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyBytesMax,
    trustProxy: address.trustProxy,
    genReqId: ({ headers }) => requestIdOf(headers),
    // Longer slugs must reach the check that explains what is wrong with them.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    // What a client sends on a connection it holds is answered to the end; the answer then closes the connection.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: handleClientError,
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('exactBody', null);
  app.decorateRequest('bodyHash', '');
  app.decorateRequest('trace', null);
  app.decorateRequest('admittedMs', 0);
  app.decorateRequest('receivedAt', 0);
  app.setErrorHandler(sendError);
  logRequests(app, logRequest, options.closing);
  const connections = openConnections(app.server);
  dropIdleOnShutdown(app, connections);
  app.decorate('connectionMemory', connectionMemory);
  connectionMemory.watch(app, connections, options.logger);
  // Before the body is read, which anybody could make long.
  const routes = collectRoutes(app);
  const answerUnknownPage = createNotFoundPage(options.dashboardFolder);
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    if (!answerUnknownPage?.(request, reply)) done(unknownRouteError(request, routes));
  });
  app.setNotFoundHandler((request, reply) => sendError(unknownRouteError(request, routes), request, reply));
  acceptOnlyJson(app);
  for (const [name, schema] of Object.entries(sharedSchemas)) {
    const example = exampleRequests[name];
    app.addSchema({ ...schema, ...(example !== undefined && { examples: [example] }), $id: name });
  }
  const validators = createValidators(sharedSchemas);
  app.setValidatorCompiler(validators.compiler);
  warmValidators(app, validators);
  // Answers are made of known parts; writing them by a compiled schema costs half a second of every start.
  app.setSerializerCompiler(() => JSON.stringify);
  await serveOpenapi(app, options.version);
  await app.register(async (scope) => serveDashboard(scope, options.dashboardFolder));

  await app.register(async (scope) => healthRoutes(scope, storage));
  apiRootRoutes(app);
  await app.register(async (scope) =>
    metricsRoutes(scope, options.metricsPage, options.metricsToken, options.hasMetricsPort, failures),
  );
  await app.register(
    async (scope) => {
      requireKey(scope, authenticator, failures);
      limitInFlight(scope, overload, shedding);
      if (options.rateLimitPerMinute > 0) enforceRateLimit(scope, rateLimit);
      await scope.register(async (inner) => inferenceRoutes(inner, calls));
      // After those that pass parameters on to an upstream, which may know more of them.
      checkQueryParameters(scope);
      modelRoutes(scope, presetReader, options.models);
      presetCaptureRoutes(scope, presets, clock);
      presetRoutes(scope, presetReader, presetChanger);
      presetVersionRoutes(scope, presetReader);
      presetLabelRoutes(scope, presetReader, presetChanger);
      presetEventRoutes(scope, presetReader);
      exportRoutes(scope, presets);
      await scope.register(async (inner) => importRoutes(inner, presets, clock));
      keyRoutes(scope, createKeys(storage.keys, clock, authenticator), options.rateLimitPerMinute);
      const workspaces = createWorkspaces(storage.workspaces, clock, authenticator, presetCache);
      workspaceRoutes(scope, workspaces);
      workspaceMemberRoutes(scope, workspaces);
      organizationMemberRoutes(scope, createMembers(storage.members, clock, authenticator));
      auditRoutes(scope, storage.audit);
    },
    { prefix: '/api/v1' },
  );
  return app;
}

/** After the first requests of a start and before most others, one at a time so that they need not wait for long. */
const compileAfterMs = 1_000;
const compileEveryMs = 50;

function warmValidators(app: FastifyInstance, { compileNext }: Validators): void {
  let timer: NodeJS.Timeout | undefined;
  const compile = () => {
    if (compileNext()) timer = setTimeout(compile, compileEveryMs).unref();
  };
  app.addHook('onListen', (done) => {
    timer = setTimeout(compile, compileAfterMs).unref();
    done();
  });
  app.addHook('onClose', (_app, done) => {
    clearTimeout(timer);
    done();
  });
}

/** A logger for each request would cost as much as its line; the lines name their request themselves. */
function withoutChildLoggers(logger: FastifyBaseLogger): FastifyBaseLogger {
  const same: FastifyBaseLogger = Object.create(logger, { child: { value: () => same } });
  return same;
}

function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Some clients name a type for the body that they do not send, as curl does for an empty one.
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request;
    if (headers['content-type'] === undefined) return done();
    const expectsBody = requiresBody(request);
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (!expectsBody && !hasBody) delete headers['content-type'];
    done();
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      assertNotCompressed(request);
      const expectsBody = requiresBody(request);
      if (bytes.length === 0 && !expectsBody) return done(null, undefined);
      const { value, exactValue } = parseJsonBody(bytes as Buffer);
      request.exactBody = exactValue;
      if (request.headers['idempotency-key'] !== undefined) request.bodyHash = hash('sha256', bytes, 'hex');
      done(null, value);
    } catch (error) {
      done(error as Error);
    }
  });
}

function requiresBody({ routeOptions }: FastifyRequest): boolean {
  const body = routeOptions.schema?.body as JsonSchema | undefined;
  return body !== undefined && !isOptionalBody(body);
}

function logRequests(app: FastifyInstance, logRequest: RequestLog, closing: AbortSignal): void {
  const underWay = new Set<FastifyReply>();
  closing.addEventListener('abort', () => {
    for (const { raw } of underWay) raw.shouldKeepAlive = false;
  });
  app.addHook('onRequest', (request, reply, done) => {
    underWay.add(reply);
    reply.raw.once('close', () => {
      underWay.delete(reply);
      // What was under way may have been sent without the word that closes the connection.
      if (closing.aborted) request.raw.socket.end();
      if (!reply.raw.writableFinished) log(request, reply);
    });
    reply.headers(commonHeaders(request.id));
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    log(request, reply);
    done();
  });

  function log(request: FastifyRequest, reply: FastifyReply): void {
    const status = finalStatus(reply.raw, request.trace?.brokenStatus);
    const { id, method, caller, trace } = request;
    const route = request.routeOptions.url;
    const address = caller === null && (status === 401 || status === 429) ? request.ip : undefined;
    logRequest({
      id,
      method,
      route,
      status,
      path: unroutedPath(route, status, request.raw.url),
      ms: reply.elapsedTime,
      keyId: caller?.id,
      preset: trace === null ? undefined : describePreset(trace),
      upstream: trace?.upstream,
      isDryRun: trace?.isDryRun,
      address,
    });
  }
}
