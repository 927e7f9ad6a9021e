import { Type } from 'typebox';
import { operations } from './operation.ts';
import { workspaceQuery } from './preset-parameters.ts';
import { named, nullable, pageQuery, ref } from './schema-parts.ts';

/** Presets and upstream models in one list, so that every client with a model picker offers them. */

/** The list fills model pickers, where more entries would not help. */
export const presetsMax = 1_000;

/**
 * Only the fields that every entry has; upstreams may send many more, which are returned as they
 * are.
 */
const Model = named(
  'Model',
  Type.Object(
    {
      id: Type.String({
        description: 'The value to use as `model` in a request.',
        examples: ['@preset/support-bot'],
      }),
      object: Type.String(),
      name: Type.String(),
      description: Type.Optional(Type.String()),
      created: Type.Integer({ description: 'Unix time in seconds; 0 if the upstream does not say.' }),
      owned_by: Type.String({ description: '`presetd` for a preset.' }),
      context_length: nullable(Type.Integer({ description: 'Null if unknown.' })),
      pricing: Type.Object({
        prompt: Type.String({ description: 'As reported by the upstream; `-1` if it varies.' }),
        completion: Type.String(),
      }),
    },
    {
      description:
        "A preset or an upstream's model. It has all fields of an OpenRouter model, and any others that the upstream reports.",
    },
  ),
);

const id = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const modelOperations = operations({
  'GET /models': {
    id: 'getModels',
    tag: 'Inference',
    summary: 'List models and presets',
    description: `The active presets of the workspace as \`@preset/slug\`, most recently changed first and at most ${presetsMax}; then the models of the upstreams, cached for some minutes. Upstreams that cannot be reached are skipped.`,
    query: Type.Object({
      ...workspaceQuery.properties,
      // OpenRouter's SDK requests the next page after a long list. Without an offset it would get
      // the same list forever.
      offset: pageQuery.properties.offset,
    }),
    response: {
      description: 'The whole list; it is not paginated. `offset` skips entries at the start.',
      // Three formats in one: OpenAI's `object`, Anthropic's ids and `has_more`, OpenRouter's count
      // and links.
      body: Type.Object({
        object: Type.Literal('list'),
        data: Type.Array(ref(Model)),
        has_more: Type.Literal(false),
        first_id: id,
        last_id: id,
        total_count: Type.Integer({ description: 'Number of entries, including skipped ones.' }),
        links: Type.Object({ next: Type.Null() }),
      }),
    },
  },
});
