import { noteCharactersMax } from '../../../core/presets/preset.ts';
import { Type } from '../../../core/type.ts';
import { presetMessages } from './messages.ts';
import { policy } from './policy.ts';

const note = Type.String({
  minLength: 1,
  maxLength: noteCharactersMax,
  description: 'What changed, for the people who read the list of versions.',
});

const variables = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The variables of the prompt, as a JSON Schema each. A variable without a default is required. ' +
    'Without this field, braces in the prompt have no meaning.',
});

/** The parts that a version saves, in the order of the request. */
const savedParts = {
  note: Type.Optional(note),
  variables: Type.Optional(variables),
  messages: Type.Optional(presetMessages),
  policy: Type.Optional(policy),
};

/** The `presetd` object of a version. */
export const extension = Type.Object(savedParts, {
  additionalProperties: false,
  description: 'What presetd adds to a captured request.',
});

/** The `presetd` object of a capture. */
export const extensionRequest = Type.Object(
  {
    ...savedParts,
    designate: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'False keeps the current live version. The first version of a preset is always live.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'What presetd adds to a captured request. OpenRouter ignores this field.',
  },
);

export type ExtensionRequest = Type.Static<typeof extensionRequest>;
