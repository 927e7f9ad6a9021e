import { expect, it } from 'vitest';
import { createOpenapiDocument } from './openapi-document.ts';

const { info, tags, paths, components } = JSON.parse(JSON.stringify(createOpenapiDocument('1.2.3')));

it('the OpenAPI document names its version, and describes every tag that operations have', () => {
  expect(info.version).toBe('1.2.3');
  const used = Object.values<object>(paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => operation.tags),
  );
  expect(new Set(used)).toEqual(new Set(tags.map(({ name }: { name: string }) => name)));
});

it('schemas refer to each other by their place in the OpenAPI document', () => {
  expect(paths['/api/v1/presets/{slug}'].get.responses[200].content).toEqual({
    'application/json': {
      schema: {
        description: 'The preset.',
        type: 'object',
        required: ['data'],
        properties: { data: { $ref: '#/components/schemas/Preset' } },
      },
    },
  });
});

it('constants and records are written as client generators read them', () => {
  expect(components.schemas.MessagesError.properties.type).toEqual({ type: 'string', enum: ['error'] });
  expect(components.schemas.PresetVersion.properties.config).toMatchObject({ additionalProperties: {} });
});

it('a pattern that is only documented is an ordinary one in the OpenAPI document', () => {
  const { parameters } = paths['/api/v1/presets/{slug}'].get;
  const slug = parameters.find(({ name }: { name: string }) => name === 'slug');
  expect(slug).toMatchObject({ in: 'path', required: true, schema: { pattern: expect.any(String) } });
  expect(slug.schema).not.toHaveProperty('description');
  expect(JSON.stringify(components)).not.toContain('x-pattern');
});

it('parameters are required only where they are, and have their examples', () => {
  const { parameters } = paths['/api/v1/models/{id}'].get;
  expect(parameters).toContainEqual(expect.objectContaining({ in: 'query', required: false }));
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'id', in: 'path', example: '@preset/support-bot' }),
  );
});

it('a body may be omitted if it may be null', () => {
  expect(paths['/api/v1/keys'].post.requestBody.required).toBe(true);
  expect(paths['/api/v1/keys/{hash}/rotate'].post.requestBody.required).toBe(false);
});

it('a form is described beside JSON', () => {
  expect(Object.keys(paths['/api/v1/images/edits'].post.requestBody.content)).toEqual([
    'application/json',
    'multipart/form-data',
  ]);
});

it('errors have the schema of their dialect', () => {
  const errorOf = (path: string) => paths[path].post.responses[400].content['application/json'].schema.$ref;
  expect(errorOf('/api/v1/messages')).toBe('#/components/schemas/MessagesError');
  expect(errorOf('/api/v1/keys')).toBe('#/components/schemas/Error');
});

it('a response without content has none in the OpenAPI document', () => {
  expect(paths['/api/v1/presets/{slug}'].get.responses[304]).toEqual({
    description: 'Your cached copy is current.',
  });
  expect(paths['/api/v1/responses'].get.responses[101]).not.toHaveProperty('content');
});

it('an operation says who may call it', () => {
  expect(paths['/healthz'].get.security).toEqual([]);
  expect(paths['/api/v1/keys'].get).not.toHaveProperty('security');
  expect(paths['/api/v1/keys'].get.description).toContain('Requires a management key or a session.');
});
