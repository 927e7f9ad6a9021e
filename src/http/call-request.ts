import type { Dialect } from '../core/preset.ts';
import { modelCharactersMax, modelPattern, presetPattern } from '../core/preset-reference.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { knownFields } from '../dialects/known-fields.ts';
import { documentedPattern } from './documented-pattern.ts';

export const callSchemaNames: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'ChatCompletionsCall',
  messages: 'MessagesCall',
  responses: 'ResponsesCall',
};

/**
 * What the gateway itself demands of a call, which is little: an upstream may know fields and values that are newer
 * than this server, so everything else is for the upstream to judge. The known fields are listed without their types.
 */
export function callSchema(dialect: Dialect): object {
  const { schemaName } = dialectOf[dialect];
  const passedOn = { description: `Passed on unchecked. Usually as in ${schemaName}.` };
  return {
    type: 'object',
    description: `A ${dialect} request. The gateway checks \`model\`, \`models\` and \`preset\`; the upstream checks the rest.`,
    properties: {
      ...Object.fromEntries(Object.keys(knownFields[dialect]).map((name) => [name, passedOn])),
      model: {
        type: ['string', 'null'],
        maxLength: modelCharactersMax,
        ...documentedPattern(modelPattern),
        description: 'A model, a preset as `@preset/slug`, or both as `vendor/model@preset/slug`.',
      },
      models: {
        maxItems: 100,
        items: { maxLength: modelCharactersMax, ...documentedPattern('^((?!@preset/)[\\s\\S])*$') },
        description: 'Models to try in order after `model`. None of them can be a preset.',
      },
      preset: {
        type: ['string', 'null'],
        ...documentedPattern(presetPattern),
        description: 'The slug of a preset to apply, pinned as in `slug@3` or `slug:label`.',
      },
    },
  };
}
