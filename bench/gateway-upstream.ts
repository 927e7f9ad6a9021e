import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The upstream behind every gateway of the benchmarks, in a process of its own. It reads the
 * request and immediately returns the same response. `node gateway-upstream.ts stream` returns 50
 * events, each written separately and without a pause, like a model that takes no time.
 */
const isStreaming = process.argv[2] === 'stream';
/** Every response reports the same usage, so that gateways that read it have something to read. */
const usage = { prompt_tokens: 412, completion_tokens: 178, total_tokens: 590 };
const head = { id: 'chatcmpl-benchmark', created: 1_760_000_000, model: 'anthropic/claude-sonnet-4.5' };
const completion = createCompletion();
const events = createEvents();

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
  if (request.url !== '/v1/chat/completions') {
    response.writeHead(404).end();
  } else if (isStreaming) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    writeFrom(response, 0);
  } else {
    const headers = { 'content-type': 'application/json', 'content-length': completion.length };
    response.writeHead(200, headers).end(completion);
  }
}

/** One write per event-loop tick, so that each event arrives in its own packet. */
function writeFrom(response: ServerResponse, index: number): void {
  const event = events[index];
  if (response.destroyed) return;
  if (event === undefined) {
    response.end();
    return;
  }
  response.write(event);
  setImmediate(writeFrom, response, index + 1);
}

/** A typical completion: a kilobyte and a half. */
function createCompletion(): Buffer {
  const content =
    'The parcel with your order was seen last in the sorting center near you on Monday. '.repeat(14);
  const message = { role: 'assistant', content, refusal: null };
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
