import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { schemas } from '../api/contract.ts';
import { createAccounts } from '../core/accounts/accounts.ts';
import { createDeviceSignIn } from '../core/accounts/device-sign-in.ts';
import { createPasswordHasher } from '../core/accounts/password-hash.ts';
import { createPeople } from '../core/accounts/people.ts';
import { createSignIn } from '../core/accounts/sign-in.ts';
import { createPasswordVerifier } from '../core/accounts/verify-password.ts';
import type { Clock } from '../core/clock.ts';
import type { WindowCount } from '../core/fixed-window-counter.ts';
import type { Measurements } from '../core/measurements.ts';
import type { Authenticator } from '../core/organization/authenticate.ts';
import { createKeys } from '../core/organization/keys.ts';
import { createMembers } from '../core/organization/members.ts';
import { createWorkspaces } from '../core/organization/workspaces.ts';
import { createCases } from '../core/presets/cases.ts';
import { createPresetEditor } from '../core/presets/change-preset.ts';
import { createDrafts } from '../core/presets/drafts.ts';
import type { PresetCache } from '../core/presets/preset-cache.ts';
import { createPresetUsageReader } from '../core/presets/preset-usage.ts';
import { createPresetReader } from '../core/presets/read-presets.ts';
import { createProvisioning } from '../core/provisioning/provisioning.ts';
import type { Storage } from '../core/storage.ts';
import type { UsageRecorder } from '../core/usage-recorder.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { ModelList } from '../gateway/models/model-list.ts';
import { createAttemptCookies } from '../sign-in/attempt-cookie.ts';
import type { SignInProviders } from '../sign-in/providers.ts';
import { requireCaller, secretHashOf } from './authentication.ts';
import { acceptOnlyJson } from './body/request-body.ts';
import { createNotFoundPage, serveDashboard } from './dashboard.ts';
import { handleClientError } from './errors/client-error.ts';
import { sendError } from './errors/error-response.ts';
import { rejectUnknownRoutes } from './errors/unknown-route.ts';
import { createFastPath } from './fast-path.ts';
import { serveOpenapi } from './openapi.ts';
import { ConnectionMemory } from './overload/connection-memory.ts';
import { type FailedAuthentications, limitFailedAttempts } from './overload/failed-authentications.ts';
import { createLoadShedder } from './overload/load-shedding.ts';
import { enforceRateLimit, RateLimit } from './overload/rate-limit.ts';
import { rejectAmbiguousRequest } from './protocol/ambiguous-request.ts';
import { createClientAddress } from './protocol/client-address.ts';
import { createCors } from './protocol/cors.ts';
import { requestIdOf } from './protocol/headers.ts';
import { createHttpServer, dropIdleOnShutdown } from './protocol/http-server.ts';
import { createRequestLog, logRequests, withoutChildLoggers } from './request-log.ts';
import { accountRoutes } from './routes/account.ts';
import { aliasRoutes } from './routes/aliases.ts';
import { auditRoutes } from './routes/audit.ts';
import { captureRoutes } from './routes/captures.ts';
import { caseRoutes } from './routes/cases.ts';
import { draftRoutes } from './routes/drafts.ts';
import { eventRoutes } from './routes/events.ts';
import { apiRootRoutes, healthRoutes } from './routes/health.ts';
import { inferenceRoutes } from './routes/inference.ts';
import { keyRoutes } from './routes/keys.ts';
import { labelRoutes } from './routes/labels.ts';
import { memberRoutes } from './routes/members.ts';
import { type MetricsPage, metricsRoutes } from './routes/metrics.ts';
import { modelRoutes } from './routes/models.ts';
import { peopleRoutes } from './routes/people.ts';
import { presetUsageRoutes } from './routes/preset-usage.ts';
import { presetRoutes } from './routes/presets.ts';
import { providerSignInRoutes } from './routes/provider-sign-in.ts';
import { signedInRoutes, signInRoutes } from './routes/sign-in.ts';
import { exportRoutes, importRoutes } from './routes/transfer.ts';
import { versionRoutes } from './routes/versions.ts';
import { workspaceRoutes } from './routes/workspaces.ts';
import { requireScimToken, scimRoutes } from './scim/scim-routes.ts';
import { createCallServer } from './serve-call.ts';
import { checkQueryParameters } from './validation/query-parameters.ts';
import { schemaController } from './validation/validation.ts';
import { acceptResponsesSockets } from './websocket/accept-responses-socket.ts';
import { HistoryMemory } from './websocket/responses-socket.ts';

export interface AppOptions {
  /** Aborts when shutdown begins. From then on every response closes its connection. */
  readonly closing: AbortSignal;
  readonly storage: Storage;
  readonly presetCache: PresetCache;
  /** Calls of presets that are not stored yet. */
  readonly presetCalls: Pick<UsageRecorder, 'unstoredUse'>;
  readonly gateway: Gateway;
  readonly models: ModelList;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** The largest request body, except on routes with a limit of their own. */
  readonly bodyBytesMax: number;
  /** API requests in flight at once, model calls not counted; 0 turns load shedding off. */
  readonly inFlightRequestsMax: number;
  /** How long a client may take to send headers, or pause reading a response. */
  readonly clientTimeoutMs: number;
  /** Requests per key; 0 means no limit. */
  readonly rateLimitPerMinute: number;
  /** Counts requests for all workers; undefined if this process counts by itself. */
  readonly countRequest: ((keyId: string) => Promise<WindowCount>) | undefined;
  /** Created by the composition root, because workers share failures. */
  readonly failures: FailedAuthentications;
  /** Addresses and ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Where browsers reach the server; undefined if it is not configured. */
  readonly publicUrl: URL | undefined;
  /** Sessions end when they have not been used for this long. */
  readonly sessionIdleMs: number;
  /** Sessions end after this time, however often they are used. */
  readonly sessionMaxMs: number;
  readonly providers: SignInProviders;
  /** Origins of web pages that may call the API; `*` means all. */
  readonly corsOrigins: readonly string[];
  readonly version: string;
  /** The build output of the dashboard; may not exist. */
  readonly dashboardFolder: string;
  readonly metrics: Measurements;
  readonly metricsPage: MetricsPage;
  /** Undefined if the metrics are not served on the API's port. */
  readonly metricsToken: string | undefined;
  /** Tokens that give access to SCIM; it is off if there are none. */
  readonly scimTokens: readonly string[];
  /** Whether the metrics have a separate port. */
  readonly hasMetricsPort: boolean;
}

/**
 * Builds the HTTP application: the server, everything that runs before the framework, and all
 * routes. It does not listen yet; `app.close()` ends it.
 *
 * A request passes these stages, and each may end it: ambiguous framing, a CORS preflight, load
 * shedding, the fast path, then the framework with its unknown-route check, key or session, query
 * parameters, rate limit, body, in-flight limit and handler. The order matters: cheap checks come
 * first, and the body is read only for a caller with a valid key or session, except to sign in.
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { storage, presetCache, authenticator, clock, metrics, failures } = options;
  const presets = presetCache.store;
  const presetReader = createPresetReader(presetCache);
  const presetEditor = createPresetEditor(presets, clock);
  const logRequest = createRequestLog(options.logger, metrics);
  const calls = createCallServer(options.gateway, authenticator, storage.workspaces, metrics, options.logger);
  const address = createClientAddress(options.trustedProxies);
  const cors = createCors(options.corsOrigins, logRequest);
  const rateLimit = new RateLimit(options.rateLimitPerMinute, options.countRequest);
  const takeFastPath = createFastPath({
    authenticator,
    address,
    failures,
    rateLimit,
    presetReader,
    calls,
    logRequest,
    bodyBytesMax: options.bodyBytesMax,
    isClosing: () => options.closing.aborted,
  });
  const hasher = createPasswordHasher();
  const signInParts = {
    storage,
    authenticator,
    clock,
    verifyPassword: createPasswordVerifier(storage.accounts, hasher, clock),
    methods: () => options.providers.methods(),
  };
  const signIn = createSignIn({ ...signInParts, sessionMaxMs: options.sessionMaxMs });
  const accounts = createAccounts({ ...signInParts, hasher, sessionIdleMs: options.sessionIdleMs });
  const devices = createDeviceSignIn(storage.devices, clock);
  const connectionMemory = new ConnectionMemory(options.bodyBytesMax);
  const loadShedder = createLoadShedder(
    options.inFlightRequestsMax,
    connectionMemory,
    metrics,
    options.logger,
  );
  const sockets = acceptResponsesSockets({
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
    log: options.logger,
    bodyBytesMax: options.bodyBytesMax,
    closing: options.closing,
    memory: new HistoryMemory(16 * options.bodyBytesMax),
    trackMemory: (connection, heldBytes) => connectionMemory.trackUpgraded(connection, heldBytes),
  });
  const app = fastify({
    serverFactory: (handler) =>
      createHttpServer({
        clientTimeoutMs: options.clientTimeoutMs,
        serve(request, response) {
          connectionMemory.trackResponse(response);
          // The fast path and the framework both honor this flag.
          if (options.closing.aborted) response.shouldKeepAlive = false;
          // Before anything that responds, so that a page can read every error.
          cors?.addHeaders(request, response);
          if (rejectAmbiguousRequest(request, response, logRequest, options.logger)) return;
          if (cors?.respondToPreflight(request, response)) return;
          if (loadShedder.shed(request, response)) return;
          takeFastPath(request, response, () => handler(request, response));
        },
        onWaiting: (socket) => connectionMemory.addWaiting(socket),
        upgrades: sockets,
      }),
    loggerInstance: withoutChildLoggers(options.logger),
    // `logRequests` writes one line per request instead of the framework's two.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyBytesMax,
    trustProxy: address.trustProxy,
    genReqId: ({ headers }) => requestIdOf(headers),
    // Overlong slugs must reach the validation that explains their limit. Node.js rejects headers
    // and URLs over 16 KiB anyway.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    // During shutdown, requests on open connections are still served; their response closes the
    // connection.
    return503OnClosing: false,
    schemaController,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: handleClientError,
  });
  // All properties are declared up front, so that every request object has the same hidden class.
  app.decorateRequest('caller', null);
  app.decorateRequest('exactBody', null);
  app.decorateRequest('bodyHash', '');
  app.decorateRequest('trace', null);
  app.decorateRequest('admittedMs', 0);
  app.decorateRequest('receivedAt', 0);
  app.setErrorHandler(sendError);
  logRequests(app, logRequest, options.closing);
  dropIdleOnShutdown(app);
  app.decorate('connectionMemory', connectionMemory);
  connectionMemory.watch(app, options.logger);
  rejectUnknownRoutes(app, createNotFoundPage(options.dashboardFolder));
  acceptOnlyJson(app);
  // For the OpenAPI document.
  for (const [name, schema] of Object.entries(schemas)) app.addSchema({ ...schema, $id: name });
  await serveOpenapi(app, options.version);
  await app.register(async (scope) => serveDashboard(scope, options.dashboardFolder));

  // Routes without a key: health checks, the API root, sign-in and, with tokens of their own,
  // metrics and SCIM.
  await app.register(async (scope) => healthRoutes(scope, storage));
  apiRootRoutes(app);
  await app.register(async (scope) =>
    metricsRoutes(scope, options.metricsPage, options.metricsToken, options.hasMetricsPort, failures),
  );
  await app.register(
    async (scope) => {
      requireScimToken(scope, options.scimTokens, failures);
      loadShedder.limitInFlight(scope);
      scimRoutes(
        scope,
        createProvisioning(
          storage.provisioning,
          storage.organizations,
          clock,
          authenticator,
          options.providers.scimGroups,
        ),
        options.publicUrl,
      );
    },
    { prefix: '/scim/v2' },
  );
  await app.register(
    async (scope) => {
      loadShedder.limitInFlight(scope);
      checkQueryParameters(scope);
      const { publicUrl, sessionMaxMs } = options;
      signInRoutes(scope, { signIn, accounts, devices, authenticator, failures, publicUrl, sessionMaxMs });
    },
    { prefix: '/api/v1' },
  );
  await app.register(async (scope) => {
    loadShedder.limitInFlight(scope);
    const { providers, publicUrl, sessionMaxMs } = options;
    const attempts = createAttemptCookies(storage.secrets, clock);
    providerSignInRoutes(scope, { providers, attempts, signIn, failures, publicUrl, sessionMaxMs });
  });
  await app.register(
    async (scope) => {
      // Hooks apply to all routes that are registered after them in this scope.
      requireCaller(scope, authenticator, options.publicUrl, failures);
      loadShedder.limitInFlight(scope);
      if (options.rateLimitPerMinute > 0) enforceRateLimit(scope, rateLimit);
      await scope.register(async (inner) => inferenceRoutes(inner, calls));
      // After the inference routes, whose query parameters are for the upstream to check.
      checkQueryParameters(scope);
      modelRoutes(scope, presetReader, options.models, options.gateway);
      captureRoutes(scope, presets, clock);
      presetRoutes(scope, presetReader, presetEditor);
      versionRoutes(scope, presetReader);
      labelRoutes(scope, presetReader, presetEditor);
      aliasRoutes(scope, presetReader, presetEditor);
      caseRoutes(scope, createCases(storage.cases, presets, clock));
      draftRoutes(scope, createDrafts(storage.drafts, presets, clock));
      presetUsageRoutes(scope, createPresetUsageReader(storage.presetUsage, options.presetCalls, presets));
      eventRoutes(scope, presetReader);
      const { cases, drafts } = storage;
      exportRoutes(scope, { presets, cases, drafts });
      // In an inner scope, like inference: both replace the body parser.
      await scope.register(async (inner) => importRoutes(inner, { presets, cases, drafts }, clock));
      keyRoutes(
        scope,
        createKeys(storage.keys, storage.presets, clock, authenticator),
        options.rateLimitPerMinute,
      );
      const workspaces = createWorkspaces(storage.workspaces, clock, authenticator, presetCache);
      workspaceRoutes(scope, workspaces);
      const members = createMembers(storage.members, clock, authenticator);
      memberRoutes(scope, members);
      const { sessionIdleMs } = options;
      peopleRoutes(scope, createPeople({ storage, members, authenticator, clock, sessionIdleMs }));
      accountRoutes(scope, accounts);
      signedInRoutes(scope, accounts, devices, options.providers);
      auditRoutes(scope, storage.audit);
    },
    { prefix: '/api/v1' },
  );
  return app;
}
