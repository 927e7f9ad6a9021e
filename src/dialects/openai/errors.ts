/** The errors of both OpenAI dialects. */

import { type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import { asObject } from '../../core/json/loose-json.ts';
import { type ErrorDetails, isStandardErrorBody, type UpstreamError } from '../model/error-details.ts';
import { isPromptTooLong, overloaded, tooLongCode, unavailable } from '../model/upstream-error.ts';

/** The format of errors, given how a dialect writes presetd's own. */
export function openAiErrors(writeOwn: (details: ErrorDetails) => object) {
  return {
    schemaName: 'Error',
    write: (details: ErrorDetails): JsonObject => {
      const body: JsonObject = { ...writeOwn(details) };
      if (details.upstream === undefined) return body;
      const { type, code, param } = details.upstream;
      return { ...body, error: { ...asObject(body.error), ...omitNullish({ type, code, param }) } };
    },
    isBody: isStandardErrorBody,
    adapt: (error: UpstreamError): UpstreamError => ({
      ...error,
      status: error.status === overloaded ? unavailable : error.status,
      ...(isPromptTooLong(error) && { code: tooLongCode }),
    }),
  };
}
