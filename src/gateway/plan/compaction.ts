/**
 * Compacting conversations for upstreams that cannot do it: the model itself summarizes them. What
 * a client gets is an item that stands for the conversation in later requests, through presetd
 * only. It has the form of OpenAI's, but is not encrypted: the client knows the conversation.
 */

import { PresetdError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects, asText, asTime, parseJsonObject } from '../../core/json/loose-json.ts';
import { writeNote } from '../../dialects/model/note.ts';
import { translateRequest } from '../../dialects/translate/translate-request.ts';
import type { Call } from '../call.ts';
import type { ResponseRewriter } from '../stored-ids/response-id-rewriter.ts';
import type { AppliedCall } from './resolve-and-apply-preset.ts';
import type { Router } from './router.ts';

/** Whether an upstream of the model compacts conversations itself. Throws if there is no model. */
export function canCompact(body: JsonObject, route: Router): boolean {
  if (!body.model && !Array.isArray(body.models))
    throw new PresetdError('invalid_request', 'The request names no model to compact the input with.', {
      issues: [{ path: '/model', message: 'is required' }],
      code: 'no_upstream',
    });
  try {
    const { candidates } = route(body, 'responses', 'responses/compact');
    return candidates.every(({ upstream }) => upstream.dialects.includes('responses'));
  } catch (error) {
    // Routing without the endpoint explains what else is wrong.
    if (error instanceof PresetdError) return false;
    throw error;
  }
}

/** The call that asks the model for a summary, instead of one that asks the upstream to compact. */
export function askForSummary(
  call: Call,
  applied: AppliedCall,
): { readonly call: Call; readonly applied: AppliedCall } {
  const { relayed: _, ...others } = call;
  const request = { type: 'message', role: 'user', content: summaryRequest };
  const body = { ...applied.body, input: [...itemsOf(applied.body), request], store: false, stream: false };
  return {
    call: { ...others, body, bytes: Buffer.from(JSON.stringify(body)) },
    applied: { ...applied, body, translate: (to) => translateRequest(body, 'responses', to) },
  };
}

const summaryRequest =
  'Summarize our conversation so that it can be continued without its messages. Keep all facts, names, numbers, decisions, results of tools, open tasks, and what I asked for last. Do not answer anything. Reply with the summary only.';

/** Writes the response with a summary as the result of a compaction. */
export function createCompactionWriter(
  { body }: Call,
  signer: ResponseRewriter | undefined,
): ResponseRewriter {
  return {
    rewriteBody(bytes) {
      const response = parseJsonObject((signer?.rewriteBody(bytes) ?? bytes).toString('utf8'));
      return response === undefined ? bytes : Buffer.from(JSON.stringify(writeCompaction(response, body)));
    },
    rewriteLines: (lines) => lines,
    rewriteError: (text) => signer?.rewriteError(text) ?? text,
  };
}

function writeCompaction(response: JsonObject, request: JsonObject): JsonObject {
  const texts = asObjects(response.output)
    .flatMap(({ content }) => asObjects(content))
    .flatMap(({ type, text }) => (type === 'output_text' ? [asText(text) ?? ''] : []));
  const summary = response.status === 'completed' ? texts.join('') : '';
  // A model that says nothing, or is cut off, must not cost the client its conversation.
  const sealed = summary === '' ? { items: itemsOf(request).slice(0, -1) } : { summary };
  const id = asText(response.id) ?? '';
  const item = {
    type: 'compaction',
    id: `cmp_${id.replace(/^resp_/, '')}`,
    encrypted_content: prefix + Buffer.from(JSON.stringify(sealed)).toString('base64url'),
  };
  return {
    id,
    object: 'response.compaction',
    created_at: asTime(response.created_at) ?? Math.floor(Date.now() / 1_000),
    output: [item],
    ...(isJsonObject(response.usage)
      ? { usage: response.usage }
      : { usage: noUsage, ...writeNote([], ['usage']) }),
  };
}

const noUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** Replaces compaction items with the conversations they stand for. */
export function expandCompactions(call: Call): Call {
  const { input } = call.body;
  if (!Array.isArray(input) || !input.some(isOurs)) return call;
  const body = { ...call.body, input: input.flatMap(expand) };
  return { ...call, body, bytes: Buffer.from(JSON.stringify(body)) };
}

function isOurs(item: unknown): item is JsonObject & { readonly encrypted_content: string } {
  if (!isJsonObject(item) || item.type !== 'compaction') return false;
  return typeof item.encrypted_content === 'string' && item.encrypted_content.startsWith(prefix);
}

function expand(item: unknown): readonly unknown[] {
  if (!isOurs(item)) return [item];
  const sealed = Buffer.from(item.encrypted_content.slice(prefix.length), 'base64url').toString('utf8');
  const { items, summary } = asObject(parseJsonObject(sealed));
  if (Array.isArray(items)) return items;
  const content = `This is a summary of our conversation until now:\n\n${asText(summary) ?? ''}`;
  return [{ type: 'message', role: 'user', content }];
}

function itemsOf({ input }: JsonObject): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : [];
}

const prefix = 'presetd.compaction.v1.';
