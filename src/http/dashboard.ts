import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from './protocol/headers.ts';
import { sendFile } from './send-file.ts';

/**
 * Paths of the single-page app. All return the same file; the browser picks the page. They must
 * match the routes in `dashboard/src/app/app.tsx`: other paths get the "not found" page with status
 * 404.
 */
const pages = [
  '/',
  '/w/*',
  '/account',
  '/device',
  '/docs',
  '/guides',
  '/guides/*',
  '/organization',
  '/organization/*',
  '/sign-in',
  '/sign-in/device',
  '/sign-in/link',
  // Addresses of older versions, which the browser redirects.
  '/new',
  '/presets',
  '/presets/*',
];

/** Asset names contain a content hash, so browsers may cache them forever. */
const immutable = 'public, max-age=31536000, immutable';

/** Without a path, so that no other file can be named. */
const assetName = /^[\w-][\w.-]*$/;

/**
 * Serves the dashboard: static files without any privileged access, since the pages use the public
 * API like any other client. `folder` is the build output; without it a notice is served instead.
 */
export async function serveDashboard(scope: FastifyInstance, folder: string): Promise<void> {
  scope.addHook('onSend', async (_request, reply) => void reply.headers(securityHeaders));
  if (!existsSync(join(folder, 'index.html'))) return serveBuildNotice(scope);
  const serveFile = (path: string, name: string) =>
    scope.get(path, (request, reply) =>
      sendFile(request, reply.header('cache-control', 'no-cache'), folder, name),
    );
  for (const path of pages) serveFile(path, 'index.html');
  serveFile('/favicon.svg', 'favicon.svg');
  scope.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
    const { '*': name } = request.params;
    if (!assetName.test(name)) return reply.callNotFound();
    try {
      return await sendFile(request, reply.header('cache-control', immutable), join(folder, 'assets'), name);
    } catch {
      return reply.removeHeader('cache-control').callNotFound();
    }
  });
}

/**
 * Creates a handler that sends the dashboard, which has a "not found" page, to a browser at an
 * unknown path, and returns whether it did. All other clients get a JSON error. Undefined if the
 * dashboard is not built.
 */
export function createNotFoundPage(folder: string) {
  const file = join(folder, 'index.html');
  if (!existsSync(file)) return undefined;
  return ({ method, url, headers }: FastifyRequest, reply: FastifyReply): boolean => {
    if (method !== 'GET' || /^\/(?:api|assets|docs)(?:[/?]|$)/.test(url)) return false;
    if (!headers.accept?.includes('text/html')) return false;
    reply.code(404).headers(securityHeaders).header('cache-control', 'no-cache');
    reply.type('text/html; charset=utf-8').send(createReadStream(file));
    return true;
  };
}

/** Only our own files and API, no inline scripts or styles, and no framing by other sites. */
const securityHeaders = pageHeaders([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
]);

/**
 * A checkout without a built dashboard still has an API, so the server starts and says what to do.
 */
function serveBuildNotice(scope: FastifyInstance): void {
  const sendNotice = (_request: unknown, reply: FastifyReply) =>
    reply.code(200).type('text/html; charset=utf-8').send(buildNotice);
  for (const path of pages) scope.get(path, sendNotice);
}

const buildNotice = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>presetd</title></head>
<body>
<h1>presetd</h1>
<p>The server is running, but its dashboard is not built. Start it with <code>npm start</code>, which builds the dashboard, or run <code>npm run build:dashboard</code> and restart the server.</p>
<p>The API works without it: <a href="/openapi.json">OpenAPI document</a>.</p>
</body>
</html>
`;
