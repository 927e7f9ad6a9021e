import { bareId } from '../model/response-ids.ts';

/** The prefix of the ids of responses. */
export const idPrefix = 'resp_';

/** The id of an output item. */
export function itemId(kind: keyof typeof itemPrefixes, responseId: string, index: number): string {
  return `${itemPrefixes[kind]}${bareId(responseId)}_${index}`;
}

const itemPrefixes = { message: 'msg_', function: 'fc_', custom: 'ctc_', reasoning: 'rs_' } as const;
