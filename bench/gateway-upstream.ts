import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The upstream behind every gateway of the benchmarks, in a process of its own. It reads the
 * request and immediately returns the same response, in the dialect of the path. `node
 * gateway-upstream.ts stream` returns 50 events, each written separately and without a pause, like
 * a model that takes no time.
 */
const isStreaming = process.argv[2] === 'stream';
/** Every response reports the same usage, so that gateways that read it have something to read. */
const usage = { prompt_tokens: 412, completion_tokens: 178, total_tokens: 590 };
const messageHead = {
  id: 'msg_benchmark',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
};
const head = { id: 'chatcmpl-benchmark', created: 1_760_000_000, model: 'anthropic/claude-sonnet-4.5' };
const words = 'The parcel with your order was seen last in the sorting center near you on Monday. ';
const responses: Readonly<Record<string, { readonly whole: Buffer; readonly events: readonly Buffer[] }>> = {
  '/v1/chat/completions': { whole: createCompletion(), events: createEvents() },
  '/v1/messages': { whole: createMessage(), events: createMessageEvents() },
};

/**
 * The body of the last request, which a GET returns: `gateway-peers.ts` checks what gateways send.
 */
let lastRequest: readonly Buffer[] = [];

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  if (request.method === 'GET') {
    response.end(Buffer.concat(lastRequest));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    lastRequest = chunks;
    respond(request, response);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`upstream listens on http://127.0.0.1:${port}`);
});
process.once('SIGTERM', () => process.exit());

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { whole, events } = responses[request.url ?? ''] ?? {};
  if (whole === undefined || events === undefined) {
    response.writeHead(404).end();
  } else if (isStreaming) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    writeFrom(response, events, 0);
  } else {
    const headers = { 'content-type': 'application/json', 'content-length': whole.length };
    response.writeHead(200, headers).end(whole);
  }
}

/** One write per event-loop tick, so that each event arrives in its own packet. */
function writeFrom(response: ServerResponse, events: readonly Buffer[], index: number): void {
  const event = events[index];
  if (response.destroyed) return;
  if (event === undefined) {
    response.end();
    return;
  }
  response.write(event);
  setImmediate(writeFrom, response, events, index + 1);
}

/** A typical completion: a kilobyte and a half. */
function createCompletion(): Buffer {
  const message = { role: 'assistant', content: words.repeat(14), refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  return Buffer.from(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
}

/** 50 events: 48 deltas, the finish reason with usage, and the end marker. */
function createEvents(): readonly Buffer[] {
  const chunk = (delta: object, finish_reason: string | null, more: object = {}) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
  const deltas = Array.from({ length: 48 }, (_, index) =>
    chunk({ role: 'assistant', content: ` word ${index} of it` }, null),
  );
  return [...deltas, chunk({}, 'stop', { usage }), 'data: [DONE]\n\n'].map((text) => Buffer.from(text));
}

/** The same completion as a message. */
function createMessage(): Buffer {
  const content = [{ type: 'text', text: words.repeat(14) }];
  return Buffer.from(JSON.stringify({ ...messageHead, content, stop_reason: 'end_turn' }));
}

/** 50 events: 45 deltas and what surrounds them. */
function createMessageEvents(): readonly Buffer[] {
  const event = (type: string, fields: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const deltas = Array.from({ length: 45 }, (_, index) =>
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ` word ${index} of it` } }),
  );
  return [
    event('message_start', { message: messageHead }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...deltas,
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: usage.completion_tokens },
    }),
    event('message_stop'),
  ].map((text) => Buffer.from(text));
}
