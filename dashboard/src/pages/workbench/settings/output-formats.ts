/** The output format of a request, which each dialect declares in its own form. */

import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { translateUnfitted } from '../../../../../src/dialects/translate/translate-request.ts';
import type { JSONPath } from '../../../features/request/request-text.ts';
import { valueAt } from '../draft-content.ts';

interface OutputFormatForm {
  readonly path: JSONPath;
  /** Where the schema is, with its name. */
  readonly definition: JSONPath;
  readonly isNamed: boolean;
  /** Whether a request can ask for JSON without a schema. */
  readonly hasAnyJson: boolean;
}

export const outputFormats: Readonly<Record<Dialect, OutputFormatForm>> = {
  'chat-completions': {
    path: ['response_format'],
    definition: ['response_format', 'json_schema'],
    isNamed: true,
    hasAnyJson: true,
  },
  messages: {
    path: ['output_config', 'format'],
    definition: ['output_config', 'format'],
    isNamed: false,
    hasAnyJson: false,
  },
  responses: { path: ['text', 'format'], definition: ['text', 'format'], isNamed: true, hasAnyJson: true },
};

const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };

/** A format to start from. */
export function newFormat(kind: string, dialect: Dialect): unknown {
  if (kind === 'text') return undefined;
  if (kind !== 'json_schema') return { type: kind };
  const chat = { response_format: { type: kind, json_schema: { name: 'response', strict: true, schema } } };
  const { body } = translateUnfitted(chat, 'chat-completions', dialect);
  return valueAt(body, outputFormats[dialect].path);
}
