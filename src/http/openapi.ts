import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sendWithEtag } from './protocol/conditional.ts';

/**
 * Serves the OpenAPI document at /openapi.json, which the dashboard shows at /docs. Anyone can
 * request it, so it is created once. All responses share its bytes, so that clients that read
 * slowly cost no memory of their own.
 */
export function serveOpenapi(app: FastifyInstance, createDocument: () => object): void {
  let rendered: ReturnType<typeof render> | undefined;
  // The second address is the one that the API reference of earlier versions loaded.
  for (const path of ['/openapi.json', '/docs/json'])
    app.get(path, ({ headers }, reply) => {
      rendered ??= render(createDocument());
      const { bytes, tag } = rendered;
      return sendWithEtag(headers, reply, tag, () => bytes);
    });
}

function render(document: object) {
  const bytes = Buffer.from(JSON.stringify(document));
  return { bytes, tag: createHash('sha256').update(bytes).digest('base64url') };
}
