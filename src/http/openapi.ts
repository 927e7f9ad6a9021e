import { createHash } from 'node:crypto';
import swagger, { type SwaggerTransformObject } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { sendWithEtag } from './protocol/conditional.ts';
import { isOptionalBody, type JsonSchema } from './validation/json-schema.ts';

/**
 * Serves the OpenAPI document at /openapi.json. It is generated from the schemas that validate
 * requests, so it cannot drift from the code. The dashboard shows it at /docs.
 */
export async function serveOpenapi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'presetd',
        version,
        description:
          'Versioned LLM presets, compatible with the OpenRouter API. Send a key as a bearer token or in the `x-api-key` header. ' +
          'Writes reject unknown query parameters with 400; reads reject only near-misses of known names. ' +
          "A preset's live version is called `designated_version` in the API.",
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
            'Capture requests as preset versions; read, compare, label, roll back, export and import them.',
        },
        {
          name: 'Keys',
          description:
            'Issue, rotate and revoke keys. Requires a management key, except to get the key of the request itself.',
        },
        {
          name: 'Workspaces',
          description:
            'Workspaces separate teams: each has its own presets and keys. Requires a management key; changes require one of an org:admin.',
        },
        {
          name: 'Organization',
          description:
            'Members and the audit log. Requires a management key; changes require one of an org:admin.',
        },
        {
          name: 'Inference',
          description:
            'Call models and presets with OpenAI or Anthropic requests, which presetd forwards to an upstream. Requires an API key.',
        },
        {
          name: 'Account',
          description: 'The person behind a request: who they are, how they sign in, and where.',
        },
        { name: 'Operation', description: 'For load balancers and monitoring. No key required.' },
      ],
    },
    transformObject: finishDocument,
    // Components keep the names of `named`; the plugin would number them.
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `def-${index}`),
    },
  });
  const render = once(() => {
    const bytes = Buffer.from(JSON.stringify(app.swagger()));
    return { bytes, tag: createHash('sha256').update(bytes).digest('base64url') };
  });
  // The second address is the one that the API reference of earlier versions loaded.
  for (const path of ['/openapi.json', '/docs/json'])
    app.get(path, { schema: { hide: true } }, ({ headers }, reply) => {
      const { bytes, tag } = render();
      return sendWithEtag(headers, reply, tag, () => bytes);
    });
}

/**
 * Anyone can request the document, which takes 8 ms to generate. All responses share its bytes, so
 * that clients that read slowly cost no memory of their own.
 */
function once<Result>(create: () => Result): () => Result {
  let created: Result | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

/**
 * Post-processes the generated document. The plugin marks every body as required; ours are optional
 * if they may be null, which is how some clients send an empty body.
 */
const finishDocument: SwaggerTransformObject = (documented) => {
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

/** A copy in which `documentedPattern` has become the ordinary `pattern` keyword. */
function withDocumentedPatterns<Part>(part: Part): Part;
function withDocumentedPatterns(part: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => withDocumentedPatterns(item));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name === 'x-pattern' ? 'pattern' : name,
      withDocumentedPatterns(value),
    ]),
  );
}

/** The part of an operation in the generated document that is changed here. */
interface Documented {
  readonly requestBody?: {
    required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
}
