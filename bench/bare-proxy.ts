import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { capturePreset } from '../src/dialects/presets/capture-preset.ts';
import { supportRequest } from './support-request.ts';

/**
 * The baseline for the gateway: `node:http` and undici with nothing between them but the work
 * itself.
 *
 * It collects and parses the body, merges the one preset that it knows, forwards the JSON over a
 * connection pool and pipes the response back with its status, type and length. The upstream gets
 * the same request from it as from presetd. It does not authenticate, look up presets, validate,
 * fail over or log: the comparison measures everything that presetd does beyond proxying.
 */
const { config, systemPrompt } = capturePreset(supportRequest(1_000), 'chat-completions');
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
  const merged = { ...config, ...parsed, model, messages: [system, ...parsed.messages] };
  const upstreamResponse = await pool.request({
    method: 'POST',
    // Strips presetd's prefix from /api/v1/chat/completions.
    path: `${upstream.pathname}${request.url?.slice('/api/v1'.length)}`,
    headers: { 'content-type': 'application/json', authorization: 'Bearer upstream-key' },
    body: JSON.stringify(merged),
  });
  const { 'content-type': type, 'content-length': length } = upstreamResponse.headers;
  const headers = {
    'content-type': String(type),
    ...(length !== undefined && { 'content-length': Number(length) }),
  };
  response.writeHead(upstreamResponse.statusCode, headers);
  // Without this, an unread response of a client that disconnected would keep its connection from
  // the pool.
  response.on('close', () => upstreamResponse.body.destroy());
  upstreamResponse.body.on('error', () => response.destroy());
  upstreamResponse.body.pipe(response);
}
