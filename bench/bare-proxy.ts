import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { capturePreset } from '../src/dialects/chat-completions/capture-preset.ts';
import type { ChatCompletionsRequest } from '../src/dialects/chat-completions/schema.ts';
import { supportRequest } from './support-request.ts';

/**
 * What the gateway is compared with: `node:http` and undici with nothing between them but the work itself. It collects
 * the body, parses it, puts the one preset that it knows into it, writes it as JSON, sends it over a pool of connections
 * and pipes the answer back with its status, type and length. The upstream gets the same request from it as from presetd.
 * It asks nobody who they are, knows no other preset, checks nothing, tries no second upstream, and writes no log line:
 * what the comparison measures is everything that presetd does beside proxying.
 */
const { config, systemPrompt } = capturePreset(supportRequest(1_000) as ChatCompletionsRequest);
const system = { role: 'system', content: systemPrompt };
const { model } = config as { readonly model: string };
const upstream = new URL(process.argv[2] ?? '');
const pool = new Pool(upstream.origin);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    forward(request, response, Buffer.concat(chunks)).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502);
      response.end(String(error));
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`bare listens on http://127.0.0.1:${port}`);
});
process.once('SIGTERM', () => process.exit());

async function forward(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
  const parsed = JSON.parse(body.toString());
  const patched = { ...config, ...parsed, model, messages: [system, ...parsed.messages] };
  const answer = await pool.request({
    method: 'POST',
    // Of /api/v1/chat/completions.
    path: `${upstream.pathname}${request.url?.slice('/api/v1'.length)}`,
    headers: { 'content-type': 'application/json', authorization: 'Bearer upstream-key' },
    body: JSON.stringify(patched),
  });
  const { 'content-type': type, 'content-length': length } = answer.headers;
  const headers = {
    'content-type': String(type),
    ...(length !== undefined && { 'content-length': Number(length) }),
  };
  response.writeHead(answer.statusCode, headers);
  // Whoever goes away leaves an answer that nobody reads, and its connection would be lost to the pool.
  response.on('close', () => answer.body.destroy());
  answer.body.on('error', () => response.destroy());
  answer.body.pipe(response);
}
