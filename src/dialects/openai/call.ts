/** The fields that concern a single call, in both OpenAI dialects. */

import { type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import { asList, asObject } from '../../core/json/loose-json.ts';
import type { CallFormat } from '../model/dialect.ts';
import { encryptedReasoning } from './fit-reasoning.ts';

/** `logprobs` are the fields that ask for token log probabilities. */
export function openAiCall(logprobs: JsonObject): CallFormat {
  return {
    parse: ({ metadata, user, safety_identifier: safetyIdentifier, stream_options: options }) => ({
      metadata,
      user,
      safetyIdentifier,
      includeObfuscation: asObject(options).include_obfuscation,
    }),
    write: ({ metadata, user, safetyIdentifier, includeObfuscation }) =>
      omitNullish({
        metadata,
        user,
        safety_identifier: safetyIdentifier,
        stream_options:
          includeObfuscation === undefined ? undefined : { include_obfuscation: includeObfuscation },
      }),
    logprobs: {
      take: takeLogprobs,
      write: (top) => ({ ...logprobs, ...(top !== undefined && { top_logprobs: top }) }),
    },
  };
}

function takeLogprobs(request: JsonObject) {
  const { logprobs, top_logprobs: top, include, ...others } = request;
  const included = asList(include);
  const remaining = included.filter((name) => name !== outputLogprobs && name !== encryptedReasoning);
  return {
    isWanted: logprobs === true || top !== undefined || included.includes(outputLogprobs),
    top,
    rest: remaining.length === 0 ? others : { ...others, include: remaining },
  };
}

/** In responses, one of the parts that are only returned on request. */
export const outputLogprobs = 'message.output_text.logprobs';
