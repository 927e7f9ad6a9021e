import { Type } from '../core/type.ts';
import { callHeaders, callResponse } from './inference.ts';
import { type Operation, operations } from './operation.ts';

/** Responses that the upstream which made them has stored. */

const params = Type.Object({
  response_id: Type.String({
    description:
      'The `id` of a response as presetd returned it to this workspace. It contains the upstream that has stored the response, and is signed.',
  }),
});

interface StoredResponseOperation {
  readonly summary: string;
  readonly description?: string;
}

function stored(id: string, { summary, description = '' }: StoredResponseOperation) {
  return {
    id,
    tag: 'Inference',
    access: 'model-call',
    summary,
    description: `${description}Passed on to the upstream that made the response, with the query parameters. Responses with \`"store": false\`, and those of upstreams that presetd translates for, are not stored.`,
    dialect: 'responses',
    params,
    headers: callHeaders,
    response: callResponse,
    errors: [424, 502, 504],
  } as const satisfies Operation;
}

/** The ids are OpenAI's. */
export const storedResponseOperations = operations({
  'GET /responses/:response_id': stored('getResponse', {
    summary: 'Get a stored response',
    description: 'With `stream=true` as events, after the one that `starting_after` names. ',
  }),
  'DELETE /responses/:response_id': stored('deleteResponse', { summary: 'Delete a stored response' }),
  'POST /responses/:response_id/cancel': stored('cancelResponse', {
    summary: 'Cancel a response that runs in the background',
  }),
  'GET /responses/:response_id/input_items': stored('listInputItems', {
    summary: 'List the input of a stored response',
  }),
});
