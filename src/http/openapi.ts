import swagger, { type SwaggerTransformObject } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { withDocumentedPatterns } from './documented-pattern.ts';
import { isOptionalBody, type JsonSchema } from './json-schema.ts';
import { pageHeaders } from './page-headers.ts';

/** The document at /openapi.json and the pages at /docs are made from the schemas that validate. */
export async function serveOpenapi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'presetd',
        version,
        description:
          'Versioned LLM presets, with the API of OpenRouter. Send a key as a bearer token, or as `x-api-key`. ' +
          'Operations that change something refuse unknown query parameters with 400; reads refuse only near-misses of known names.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer' },
          'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
      security: [{ key: [] }, { 'x-api-key': [] }],
      tags: [
        {
          name: 'Presets',
          description:
            'Capture requests as versions of a preset; read, compare, label, roll back and move them.',
        },
        {
          name: 'Keys',
          description:
            'Hand out keys, take them back, give them new secrets. Needs a management key, except to get the key of the request itself.',
        },
        {
          name: 'Workspaces',
          description:
            'For teams: each has presets and keys of its own. Needs a management key; changes need one of an org:admin.',
        },
        {
          name: 'Organization',
          description:
            'Who belongs to it, and everything that happened in it. Needs a management key; changes need one of an org:admin.',
        },
        {
          name: 'Inference',
          description:
            'Call presets, in the dialects of OpenAI and Anthropic; presetd passes the requests on to an upstream. Needs an API key.',
        },
        { name: 'Operation', description: 'For load balancers and monitors; no key needed.' },
      ],
    },
    transformObject: asDocumented,
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `def-${index}`),
    },
  });
  await app.register(servePages);
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

async function servePages(scope: FastifyInstance): Promise<void> {
  scope.addHook('onSend', async (_request, reply) => void reply.headers(securityHeaders));
  await scope.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
    },
    theme: {
      title: 'presetd API',
      css: [{ filename: 'presetd.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
}

/** They come from the same place as the dashboard, whose tabs hold keys: nothing foreign may run here either. */
const securityHeaders = pageHeaders([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
]);

/** The plugin documents every body as required. One that may be left out may also be null, as some clients write nothing. */
const asDocumented: SwaggerTransformObject = (documented) => {
  if (!('openapiObject' in documented)) return documented.swaggerObject;
  const { openapiObject } = documented;
  for (const path of Object.values(openapiObject.paths ?? {})) {
    for (const { requestBody } of Object.values(path ?? {}) as readonly Documented[]) {
      const media = requestBody?.content['application/json'];
      if (requestBody === undefined || media === undefined || !isOptionalBody(media.schema)) continue;
      requestBody.required = false;
    }
  }
  return withDocumentedPatterns(openapiObject);
};

interface Documented {
  readonly requestBody?: {
    required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
}
