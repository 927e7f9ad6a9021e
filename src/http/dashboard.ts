import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from './page-headers.ts';

/** The addresses of the pages, all of them the same file: which one is shown is decided in the browser. */
const pages = ['/', '/new', '/presets', '/presets/*', '/organization', '/organization/*'];

/** Files whose names change with their content can be kept for as long as a browser likes. */
const forever = { cacheControl: true, maxAge: '365d', immutable: true };

/** The web pages: static files that know nothing the API does not tell to any client. */
export async function serveDashboard(scope: FastifyInstance, folder: string): Promise<void> {
  scope.addHook('onSend', async (_request, reply) => void reply.headers(securityHeaders));
  if (!existsSync(join(folder, 'index.html'))) return serveBuildNotice(scope);
  await scope.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
  });
  for (const path of pages)
    scope.get(path, hidden, (_request, reply) =>
      reply.header('cache-control', 'no-cache').sendFile('index.html'),
    );
  scope.get('/favicon.svg', hidden, (_request, reply) =>
    reply.header('cache-control', 'no-cache').sendFile('favicon.svg'),
  );
  scope.get<{ Params: { '*': string } }>('/assets/*', hidden, (request, reply) =>
    reply.sendFile(`assets/${request.params['*']}`, forever),
  );
}

/**
 * Answers who goes in a browser to where nothing is: by the pages, which say so. Others are not answered.
 * Undefined where the pages were not built.
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

const hidden = { schema: { hide: true } };

/** Nothing but the server's own files and API, no script or style in the page itself, and never inside of another page. */
const securityHeaders = pageHeaders([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
]);

/** A checkout in which the pages were not built still has an API. */
function serveBuildNotice(scope: FastifyInstance): void {
  const answer = (_request: unknown, reply: FastifyReply) =>
    reply.code(200).type('text/html; charset=utf-8').send(buildNotice);
  for (const path of pages) scope.get(path, hidden, answer);
}

const buildNotice = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>presetd</title></head>
<body>
<h1>presetd</h1>
<p>The server runs, but its dashboard was not built. Start it with <code>npm start</code>, which builds it; or run <code>npm run build:dashboard</code> and start the server again.</p>
<p>The API works without it: <a href="/docs">API pages</a>.</p>
</body>
</html>
`;
