import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** The document at /openapi.json and the pages at /docs are made from the schemas that validate. */
export async function serveOpenapi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'presetd',
        version,
        description: 'Versioned LLM presets, with the API of OpenRouter. Send a key as a bearer token.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
      tags: [
        {
          name: 'Presets',
          description:
            'Capture requests as versions of a preset; read, compare, label, roll back and move them.',
        },
        { name: 'Organization', description: 'Who belongs to it.' },
        { name: 'Operation', description: 'For load balancers and monitors; no key needed.' },
      ],
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `def-${index}`),
    },
  });
  await app.register(swaggerUi, {
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
  app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'));
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
