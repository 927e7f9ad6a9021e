import { storablePattern } from '../core/text/storable-text.ts';
import { Type } from '../core/type.ts';
import { anyObject } from '../dialects/schema/combinators.ts';
import { operations } from './operation.ts';
import { documentedPattern, named, nullable, one, ref } from './schema-parts.ts';

const text = nullable(Type.String());
const anything = Type.Unsafe<unknown>({});

const failedAttempt = Type.Object(
  {
    code: Type.Integer({ description: 'The status of the response; 502 or 504 if there was none.' }),
    message: Type.String(),
    provider_name: nullable(Type.String({ description: 'The upstream.' })),
    raw: nullable(Type.String({ description: 'The body of the response.' })),
  },
  { additionalProperties: false },
);

/** The logged content, beside OpenRouter's summary of it. */
const details = Type.Object(
  {
    dialect: Type.String({
      description: 'The dialect of the request and the response, or the endpoint of the call.',
    }),
    request: Type.Unsafe<unknown>({
      description: 'The body as the client sent it; the parts of a form as a list, files by their size.',
    }),
    sent: Type.Unsafe<unknown>({
      description: 'The body as the upstream got it; null if it got the same, or none did.',
    }),
    sent_dialect: text,
    response: Type.Unsafe<unknown>({
      description: 'The body as the client got it, a stream put together; null if it is no text.',
    }),
    truncated: Type.Array(Type.Enum(['request', 'sent', 'response']), {
      description: 'The parts that are not whole: strings in them are cut, or the part is null.',
    }),
    case: nullable(
      Type.Object(
        {
          variables: Type.Unsafe<Record<string, unknown>>({ ...anyObject }),
          messages: Type.Array(Type.Unsafe<Record<string, unknown>>({ ...anyObject })),
        },
        {
          additionalProperties: false,
          description:
            'The request as a test case, for `PUT /presets/{slug}/cases/{name}`; null if it is no call of a dialect, or not whole.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: "presetd's own part: what is logged." },
);

export const GenerationContent = named(
  'GenerationContent',
  Type.Object(
    {
      input: Type.Union(
        [
          Type.Object({ prompt: Type.String() }, { additionalProperties: false }),
          Type.Object({ messages: Type.Array(anything) }, { additionalProperties: false }),
        ],
        {
          description:
            'What the model got: messages in the format of chat completions, the system prompt of the preset included, or a text.',
        },
      ),
      output: Type.Object(
        {
          completion: nullable(Type.String({ description: 'The text of the response.' })),
          reasoning: text,
        },
        { additionalProperties: false },
      ),
      error: nullable(
        Type.Object(
          {
            message: text,
            previous_errors: Type.Array(failedAttempt, {
              description: 'The attempts that failed before.',
            }),
            provider_name: text,
            raw: nullable(Type.String({ description: 'The response as the client got it.' })),
            status: nullable(Type.Integer()),
          },
          { additionalProperties: false, description: 'Null if the call succeeded.' },
        ),
      ),
      presetd: details,
    },
    { additionalProperties: false, description: 'The logged content of a call.' },
  ),
);

export type GenerationContent = Type.Static<typeof GenerationContent.schema>;

/** Far more than a comment needs. */
const commentCharactersMax = 4_000;

const feedbackCategories = [
  'latency',
  'incoherence',
  'incorrect_response',
  'formatting',
  'billing',
  'api_error',
  'other',
] as const;

const GenerationFeedback = named(
  'GenerationFeedback',
  Type.Object(
    {
      generation_id: Type.String({ minLength: 1, maxLength: 512 }),
      category: Type.Enum([...feedbackCategories]),
      comment: Type.Optional(
        Type.String({ maxLength: commentCharactersMax, ...documentedPattern(storablePattern) }),
      ),
    },
    { additionalProperties: false, description: 'What is wrong with the response to a call.' },
  ),
);

const tag = 'Usage';

export const generationContentOperations = operations({
  'GET /generation/content': {
    id: 'listGenerationContent',
    tag,
    access: 'workspace-admin',
    summary: 'Get the content of a generation',
    description:
      'The request and the response of one call, if its workspace logs them. Every request for it is an event in the audit log.',
    query: Type.Object({ id: Type.String({ minLength: 1, maxLength: 512 }) }),
    response: { description: 'The content.', body: one(ref(GenerationContent)) },
  },
  'POST /generation/feedback': {
    id: 'submitGenerationFeedback',
    tag,
    access: 'call-write',
    summary: 'Report a problem with a generation',
    description:
      'Replaces what the same key, or the same person in a session, has reported about this call. Everyone who may see the call may see it.',
    body: ref(GenerationFeedback),
    bodySize: 'small',
    response: {
      description: 'The feedback is stored.',
      body: one(Type.Object({ success: Type.Unsafe<boolean>({ type: 'boolean', enum: [true] }) })),
    },
  },
});
