import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { costOf, toDollars } from '../../core/ledger/price.ts';
import { type OfflineAnswer, type OfflineRequest, offlineAnswer } from '../../demo/offline-answer.ts';
import { listOfflineModels, offlineModels } from '../../demo/offline-models.ts';

/**
 * An upstream for `presetd demo` that answers without a network. It speaks chat completions
 * as OpenRouter does, with a cost; the gateway translates the other dialects. Streams arrive word
 * by word at the pace of a fast model.
 */
export interface OfflineUpstream {
  readonly url: string;
  stop(): void;
}

/** Until the first token, and between words. */
const thinkMs = 250;
const wordMs = 22;

export async function startOfflineUpstream(): Promise<OfflineUpstream> {
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('content-type', 'application/json');
  if (request.url?.endsWith('/models'))
    return void response.end(JSON.stringify({ data: listOfflineModels() }));
  if (request.method !== 'POST' || !request.url?.endsWith('/chat/completions')) {
    response.statusCode = 404;
    return void response.end('{"error":{"message":"The demo only answers chat completions.","code":404}}');
  }
  const call = (await json(request)) as OfflineRequest & { readonly stream?: boolean };
  const answer = offlineAnswer(call);
  const usage = usageOf(call, answer);
  await delay(thinkMs + (call.model.length % 5) * 60);
  if (call.stream !== true) return void response.end(JSON.stringify(completion(call.model, answer, usage)));
  response.setHeader('content-type', 'text/event-stream');
  await stream(response, call.model, answer, usage);
}

async function stream(
  response: ServerResponse,
  model: string,
  answer: OfflineAnswer,
  usage: object,
): Promise<void> {
  const send = (delta: object, finish: string | null = null, rest: object = {}) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(
      `data: ${JSON.stringify({ ...head(model, 'chat.completion.chunk'), choices, ...rest })}\n\n`,
    );
  };
  send({ role: 'assistant', content: '' });
  for (const word of answer.text.match(/\S+\s*/g) ?? []) {
    if (response.destroyed) return;
    send({ content: word });
    await delay(wordMs);
  }
  if (answer.toolCall !== undefined) send({ tool_calls: [{ index: 0, ...toolCall(answer.toolCall) }] });
  send({}, finishReason(answer), { usage });
  response.end('data: [DONE]\n\n');
}

function completion(model: string, answer: OfflineAnswer, usage: object): object {
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    ...(answer.toolCall && { tool_calls: [toolCall(answer.toolCall)] }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason(answer) }];
  return { ...head(model, 'chat.completion'), choices, usage };
}

function head(model: string, object: string): object {
  return { id: 'gen-demo', object, created: Math.floor(Date.now() / 1_000), model };
}

function toolCall(call: NonNullable<OfflineAnswer['toolCall']>): object {
  return { id: 'call_demo_1', type: 'function', function: call };
}

function finishReason({ toolCall: call }: OfflineAnswer): string {
  return call === undefined ? 'stop' : 'tool_calls';
}

/** About four characters per token, at the price of the model. Without one, it reports no cost. */
function usageOf(call: OfflineRequest, answer: OfflineAnswer): object {
  const input = Math.ceil(JSON.stringify(call).length / 4);
  const output = Math.ceil((answer.text.length + (answer.toolCall?.arguments.length ?? 0)) / 4) + 2;
  const price = offlineModels.find(({ id }) => id === call.model)?.pricePerMillion;
  const nanos = price && costOf({ input, output, cached: 0, cacheWrite: 0, reasoning: 0 }, price);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(nanos !== undefined && { cost: toDollars(nanos) }),
  };
}
