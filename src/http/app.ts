import fastify, { type FastifyInstance, LogController } from 'fastify';
import { createOpenapiDocument } from '../api/openapi-document.ts';
import type { AppOptions } from './app-options.ts';
import { acceptOnlyJson } from './body/request-body.ts';
import { createNotFoundPage } from './dashboard.ts';
import { handleClientError } from './errors/client-error.ts';
import { sendError } from './errors/error-response.ts';
import { rejectUnknownRoutes } from './errors/unknown-route.ts';
import { createFrontStages, type FrontStages } from './front-stages.ts';
import { serveOpenapi } from './openapi.ts';
import { requestIdOf } from './protocol/headers.ts';
import { createHttpServer, dropIdleOnShutdown } from './protocol/http-server.ts';
import { registerRoutes } from './register-routes.ts';
import { logRequests, withoutChildLoggers } from './request-log.ts';
import { schemaController } from './validation/validation.ts';

/**
 * Builds the HTTP application: the server, the stages before the framework (`front-stages.ts`), the
 * framework, and all routes (`register-routes.ts`). It does not listen yet; `app.close()` ends it.
 *
 * A request passes these stages, and each may end it: ambiguous framing, a CORS preflight, load
 * shedding, the fast path, then the framework with its unknown-route check, key or session, query
 * parameters, rate limit, body, in-flight limit and handler. The order matters: cheap checks come
 * first, and the body is read only for a caller with a valid key or session, except to sign in.
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const stages = createFrontStages(options);
  const app = createFramework(options, stages);
  // All properties are declared up front, so that every request object has the same hidden class.
  app.decorateRequest('caller', null);
  app.decorateRequest('exactBody', null);
  app.decorateRequest('bodyHash', '');
  app.decorateRequest('trace', null);
  app.decorateRequest('admittedMs', 0);
  app.decorateRequest('receivedAt', 0);
  app.setErrorHandler(sendError);
  logRequests(app, stages.logRequest, options.closing);
  dropIdleOnShutdown(app);
  app.decorate('connectionMemory', stages.connectionMemory);
  stages.connectionMemory.watch(app, options.logger);
  rejectUnknownRoutes(app, createNotFoundPage(options.dashboardFolder));
  acceptOnlyJson(app);
  serveOpenapi(app, () => createOpenapiDocument(options.version));
  await registerRoutes(app, options, stages);
  return app;
}

function createFramework(options: AppOptions, stages: FrontStages): FastifyInstance {
  return fastify({
    serverFactory: (handler) =>
      createHttpServer({
        clientTimeoutMs: options.clientTimeoutMs,
        serve: (request, response) => stages.serve(request, response, () => handler(request, response)),
        onWaiting: (socket) => stages.connectionMemory.addWaiting(socket),
        upgrades: stages.sockets,
      }),
    loggerInstance: withoutChildLoggers(options.logger),
    // `logRequests` writes one line per request instead of the framework's two.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyBytesMax,
    trustProxy: stages.address.trustProxy,
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
}
