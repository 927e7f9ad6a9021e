import { Type } from '../../core/type.ts';
import { anyObject, nullable } from './combinators.ts';

/**
 * The field `prompt` in the shape of OpenAI's reference to a stored prompt. In a call, it names a
 * preset and passes values for its variables. A capture accepts and ignores it, so that a call that
 * works can be captured.
 */
export const promptReference = Type.Object(
  {
    id: Type.Optional(
      nullable(
        Type.String({
          description:
            'The slug or an alias of the preset. Leave it out if `model` or `preset` names the preset.',
        }),
      ),
    ),
    prompt_id: Type.Optional(nullable(Type.String({ description: 'Another name for `id`.' }))),
    version: Type.Optional(
      nullable(
        Type.Union([Type.String(), Type.Integer()], {
          description: 'A version number or a label. Without it, the live version is used.',
        }),
      ),
    ),
    variables: Type.Optional(
      nullable(
        Type.Unsafe<Record<string, unknown>>({
          ...anyObject,
          description:
            'Values for the variables of the preset, by name. A value may be an `input_text`, `input_image` or `input_file` item.',
        }),
      ),
    ),
  },
  { description: "A preset and values for its variables, in the shape of OpenAI's stored prompts." },
);
