import { documentedPattern } from '../../api/documented-pattern.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { modelCharactersMax, modelPattern, presetPattern } from '../../core/presets/preset-reference.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { knownFields } from '../../dialects/known-fields.ts';

/** Component names in the OpenAPI document, from which client generators derive class names. */
export const callSchemaNames: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'ChatCompletionsCall',
  messages: 'MessagesCall',
  responses: 'ResponsesCall',
};

/**
 * The documented schema of a call. The gateway itself checks very little: an upstream may support
 * fields and values that are newer than this server, so the rest is for the upstream to validate.
 * Known fields are listed without their types.
 */
export function callSchema(dialect: Dialect): object {
  const { schemaName } = dialectOf[dialect];
  const forwarded = { description: `Forwarded without validation. Usually as in ${schemaName}.` };
  return {
    type: 'object',
    description: `A ${dialect} request. presetd validates \`model\`, \`models\` and \`preset\`; the upstream validates the rest.`,
    properties: {
      ...Object.fromEntries(Object.keys(knownFields[dialect]).map((name) => [name, forwarded])),
      model: {
        type: ['string', 'null'],
        maxLength: modelCharactersMax,
        ...documentedPattern(modelPattern),
        description: 'A model, a preset as `@preset/slug`, or both as `vendor/model@preset/slug`.',
      },
      models: {
        maxItems: 100,
        items: { maxLength: modelCharactersMax, ...documentedPattern('^((?!@preset/)[\\s\\S])*$') },
        description: 'Fallback models, tried in order after `model`. Presets are not allowed here.',
      },
      preset: {
        type: ['string', 'null'],
        ...documentedPattern(presetPattern),
        description: 'The slug of a preset to apply, optionally pinned: `slug@3` or `slug:label`.',
      },
    },
  };
}
