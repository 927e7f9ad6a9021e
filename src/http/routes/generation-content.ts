import type { FastifyInstance } from 'fastify';
import { type GenerationContent, generationContentOperations } from '../../api/generation-content.ts';
import type { Clock } from '../../core/clock.ts';
import { type ContentStores, type ReadContent, readContent } from '../../core/content-log/read-content.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject, textOf } from '../../core/json/loose-json.ts';
import { addFeedback } from '../../core/ledger/feedback.ts';
import type { LedgerStore } from '../../core/ledger/ledger-storage.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { findErrorMessage } from '../../dialects/model/error-details.ts';
import { chatMessagesOf, requestAsCase, textsOf } from '../../dialects/translate/chat-messages.ts';
import { upstreamIdIn } from '../../gateway/stored-ids/response-ids.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';

interface Stores extends ContentStores {
  readonly ledger: Pick<LedgerStore, 'find' | 'findByUpstreamId' | 'addFeedback'>;
}

export function generationContentRoutes(scope: FastifyInstance, stores: Stores, clock: Clock): void {
  serveOperations(scope, generationContentOperations, {
    'GET /generation/content': async (request) => {
      const { id } = request.query;
      const others = otherIdsOf(id);
      return { data: contentToWire(await readContent(stores, clock, callerOf(request), id, others)) };
    },
    'POST /generation/feedback': async (request) => {
      const { generation_id: id, category, comment = null } = request.body;
      const feedback = { category, comment };
      await addFeedback(stores.ledger, clock, callerOf(request), { id, otherIds: otherIdsOf(id) }, feedback);
      return { data: { success: true } };
    },
  });
}

/** Clients see a signed form of the ids of stored responses. */
export function otherIdsOf(id: string): readonly string[] {
  const signed = upstreamIdIn(id);
  return signed === undefined ? [] : [signed];
}

function contentToWire({ call, content }: ReadContent): GenerationContent {
  const { request, sent, sentDialect, response, failures, truncated } = content;
  const { dialect: label, status, upstream } = call.group;
  const dialect = dialects.find((name) => name === label);
  const isError = status >= 400;
  const isWhole = !truncated.includes('request');
  return {
    input: inputOf(sent ?? request, sentDialect ?? dialect),
    output: isError ? noTexts : textsOf(asObject(response), dialect),
    error: isError
      ? {
          message: findErrorMessage(response) ?? null,
          previous_errors: failures.map(({ upstream, status, message, body }) => ({
            code: status,
            message,
            provider_name: upstream,
            raw: body,
          })),
          provider_name: upstream,
          raw: response === null ? null : asJson(response),
          status,
        }
      : null,
    presetd: {
      dialect: label,
      request,
      sent,
      sent_dialect: sentDialect,
      response,
      truncated: [...truncated],
      case: dialect !== undefined && isWhole && isJsonObject(request) ? caseToWire(request, dialect) : null,
    },
  };
}

const noTexts = { completion: null, reasoning: null };

function inputOf(request: unknown, dialect: Dialect | undefined): GenerationContent['input'] {
  if (dialect !== undefined && isJsonObject(request))
    return { messages: [...chatMessagesOf(request, dialect)] };
  const { prompt, input } = asObject(request);
  return { prompt: textOf(prompt) || textOf(input) || asJson(request) };
}

function caseToWire(request: JsonObject, dialect: Dialect) {
  const { variables, messages } = requestAsCase(request, dialect);
  return { variables: { ...variables }, messages: [...messages] };
}

function asJson(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
